import { formatDuration, twoDigits } from "../base/duration.ts";
import { type SafeText, safe } from "../base/safe-text.ts";
import { storedText } from "../trust/stored-text.ts";

interface Limited {
  readonly agent: string;
  readonly model: string | null;
  readonly kind: string;
  /** ISO 8601. */
  readonly until: string;
  readonly resetAt: string | null;
}

const states: Readonly<Record<string, string>> = {
  rate_limit: "is rate-limited",
  overloaded: "is overloaded",
  network: "is unreachable",
};

/** Returns "claude is rate-limited: resets in 1h 03m (13:00)", in local time, with the weekday on another day. */
export function limitText({ agent, model, kind, until, resetAt }: Limited, now: Date): string {
  const end = new Date(until);
  const what = `${agent}${model === null ? "" : ` (${model})`} ${states[kind] ?? "is not called for now"}`;
  const then = resetAt !== null && Date.parse(resetAt) <= end.getTime() ? "resets" : "trying again";
  const left = formatDuration(Math.max(0, end.getTime() - now.getTime()));
  return `${what}: ${then} in ${left} (${clockTime(end, now)})`;
}

/** Formats a time as `13:00`, or `Tue 13:00` on another day, in local time. */
export function clockTime(moment: Date, now: Date): SafeText {
  const time = safe`${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`;
  const date = moment.toDateString();
  if (date === now.toDateString()) return time;
  const day = storedText(date).slice(0, moment.getTime() - now.getTime() < 6 * 86_400_000 ? 3 : 10);
  return safe`${day} ${time}`;
}
