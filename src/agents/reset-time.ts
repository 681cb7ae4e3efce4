const minute = 60_000;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: minute, h: 60 * minute, d: 24 * 60 * minute };

const clockTime = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s*(?<half>[ap]m)?`;
const day = String.raw`(?<month>[A-Z][a-z]{2})[a-z]*\.? (?<day>\d{1,2})(?:st|nd|rd|th)?(?:, (?<year>\d{4}))?(?: at|,)? `;
const absolute = new RegExp(
  String.raw`(?:resets?|try again|available)(?: again)?(?: at| on)? (?:${day})?${clockTime}(?: ?\((?<zone>[\w/+-]+)\))?`,
  "i",
);
const relative = /(?:try again|retry|resets?|available)(?: again)? (?:after|in) (.{1,40})/i;

/**
 * When the limit that `message` tells of ends, as ISO 8601, or null when it does not say. Knows epoch seconds after
 * a bar, clock times with or without a day and an IANA zone (the local one without), and durations.
 */
export function resetTime(message: string, now: Date): string | null {
  const epoch = /\|(\d{10})(?:\d{3})?\b/.exec(message)?.[1];
  if (epoch) return new Date(Number(epoch) * 1000).toISOString();
  const wait = durationIn(relative.exec(message)?.[1]);
  if (wait !== null) return new Date(now.getTime() + wait).toISOString();
  const parts = absolute.exec(message)?.groups;
  return parts ? (momentOf(parts, now)?.toISOString() ?? null) : null;
}

function durationIn(text: string | undefined): number | null {
  const found = [...(text ?? "").matchAll(/(\d+(?:\.\d+)?)\s*(s|m|h|d)[a-z]*/gi)];
  if (found.length === 0) return null;
  return found.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit?.toLowerCase() ?? ""] ?? 0),
    0,
  );
}

type Parts = Readonly<Record<string, string | undefined>>;

function momentOf(parts: Parts, now: Date): Date | undefined {
  const zone = parts["zone"] ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const today = wallClock(now, zone);
  const hour = hourOf(parts);
  if (!today || hour === undefined) return undefined;
  const clock = [hour, Number(parts["minute"] ?? 0)] as const;
  const month = months.indexOf(parts["month"]?.toLowerCase() ?? "");
  if (month === -1) {
    const [year, thisMonth, date] = today;
    const first = instantOf([year, thisMonth, date, ...clock], zone);
    return first > now ? first : instantOf([year, thisMonth, date + 1, ...clock], zone);
  }
  const date = Number(parts["day"]);
  if (parts["year"]) return instantOf([Number(parts["year"]), month, date, ...clock], zone);
  const first = instantOf([today[0], month, date, ...clock], zone);
  return first > now ? first : instantOf([today[0] + 1, month, date, ...clock], zone);
}

function hourOf({ hour, half, minute: minutes }: Parts): number | undefined {
  const told = Number(hour);
  // A bare number is no time of day: "try again 3 times".
  if (!half && !minutes) return undefined;
  if (half) return told >= 1 && told <= 12 ? (told % 12) + (half.toLowerCase() === "pm" ? 12 : 0) : undefined;
  return told < 24 ? told : undefined;
}

type WallClock = readonly [year: number, month: number, day: number, hour: number, minute: number];

/** What calendars and clocks in `zone` show at `moment`; undefined when there is no such zone. */
function wallClock(moment: Date, zone: string): WallClock | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
    const parts = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day: date = 1, hour = 0, minute: minutes = 0 } = parts;
    return [year, month - 1, date, hour, minutes];
  } catch {
    return undefined;
  }
}

/** When clocks in `zone` show `wall`; in the hour that a change to summer time leaves out, an hour later. */
function instantOf(wall: WallClock, zone: string): Date {
  const asUtc = Date.UTC(...wall);
  const offsetAt = (moment: number): number => {
    const shown = wallClock(new Date(moment), zone);
    return shown ? Date.UTC(...shown) - Math.floor(moment / minute) * minute : 0;
  };
  const guess = asUtc - offsetAt(asUtc);
  return new Date(asUtc - offsetAt(guess));
}
