import { formatDuration } from "../base/duration.ts";

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
export function clockTime(moment: Date, now: Date): string {
  const time = [moment.getHours(), moment.getMinutes()].map((n) => String(n).padStart(2, "0")).join(":");
  if (moment.toDateString() === now.toDateString()) return time;
  return `${moment.toDateString().slice(0, moment.getTime() - now.getTime() < 6 * 86_400_000 ? 3 : 10)} ${time}`;
}
