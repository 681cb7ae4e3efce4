import { decimal, type SafeText, safe } from "./safe-text.ts";

const unit: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of `90s`, `5m`, `1h30m`, `250ms` or `2d`; `undefined` for anything else, such as a bare number. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d)\s*)+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, number, name] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(number) * (unit[name ?? ""] ?? 0);
  }
  return Math.round(total);
}

/**
 * Formats milliseconds for people: `850 ms`, `12 s`, `3m 20s`, `2h 05m`. A negative number, which a wall clock that was set
 * back gives, is shown as 0.
 */
export function formatDuration(length: number): SafeText {
  const ms = Math.max(0, length);
  if (ms < 1000) return safe`${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? safe`${decimal(ms / 1000, 1)} s` : safe`${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return safe`${minutes}m ${twoDigits(seconds % 60)}s`;
  return safe`${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

/** `07`, `12`: at least two digits. */
export function twoDigits(n: number): SafeText {
  return n < 10 ? safe`0${n}` : safe`${n}`;
}
