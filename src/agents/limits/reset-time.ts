import { zoneNamed } from "./zone-names.ts";
import { daysLater, isDate, localZone, momentsOf, type WallTime, wallTime, weekdayOf } from "./zoned-time.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 7 * dayMs,
};
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const epoch = /(?:\||resets?_?at"?\s?[:=]\s?"?)(\d{10})(?:\d{3})?(?!\d)/i;
const secondsField =
  /(?:resets?_in_seconds|retry[-_ ]after(?:[-_ ]seconds)?)"?\s?[:=]?\s?"?(\d+(?:\.\d+)?)\b(?!\s?[a-z]|[:-])/i;
const anchor =
  /\b(?:resets?|try(?:ing)? again|retry(?:ing)?|come back|regain access|available again|wait|retryDelay"?:)(?=\W)/gi;
/** Words and signs between the anchor and the time itself. */
const link = /^(?:[\s:"·,-]|(?:again|automatically|after|about|approximately|until|at|on|in|for)\b){0,6}\s*/i;

const clockForm = String.raw`(?<hour>\d{1,2})(?::(?<minute>\d{2})(?::(?<second>\d{2}))?)?\s?(?<half>[ap](?:\.m\.|\.?m\b)|midnight\b|noon\b)?`;
/** The word behind a time, which may name a zone: `PST`, `(Europe/Berlin)`, `GMT+8`, `Eastern time`. */
const zoneForm = String.raw`(?:\s?\(?(?<zone>[\w/:+-]+(?: (?:standard |daylight |summer |european )*time\b)?))?`;
const monthForm = `(?<month>${months.join("|")})[a-z]*\\.?`;
const dayForm = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?(?!\d|:)(?:,? (?<year>\d{4}))?`;
const between = "(?:,? at |, | )";

const httpDate = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT/;
const isoForm = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:T| at | )${clockForm}(?:\.\d+)?(?<offset>[+-]\d{2}:?\d{2})?${zoneForm}`,
  "i",
);
const dateForm = new RegExp(`^${monthForm} ${dayForm}(?:${between}${clockForm})?${zoneForm}`, "i");
const weekdayForm = new RegExp(
  String.raw`^(?<weekday>${weekdays.join("|")})(?:s|nes|rs|ur)?(?:day)?\b(?:${between}${clockForm})?${zoneForm}`,
  "i",
);
const timeForm = new RegExp(`^${clockForm}${zoneForm}`, "i");

/**
 * Returns when the limit described by `message` ends, as ISO 8601; null if it states no time. Reads epoch seconds and
 * milliseconds, `Retry-After`, durations, ISO and HTTP dates, month and day, weekday, and time of day. A time without a
 * zone is in `zone`: agents print the machine's own. Unreadable times, and times in an unknown zone, are ignored, never guessed.
 *
 * A time of day is its next occurrence; a month and day without a year are those nearest to `now`, so they may be past.
 * A day without a time means midnight.
 */
export function resetTime(message: string, now: Date, zone: string = localZone()): string | null {
  const text = message.replace(/\s+/g, " ");
  const moment =
    epochIn(text) ??
    after(now, seconds(secondsField.exec(text)?.[1])) ??
    firstMatch(text.matchAll(anchor), (found) => {
      const rest = text.slice(found.index + found[0].length, found.index + found[0].length + 80);
      const linked = link.exec(rest)?.[0] ?? "";
      const time = rest.slice(linked.length).replace(/^(?=midnight|noon)/i, "12 ");
      return /\b(?:in|for)\s*$/i.test(linked) && /^\d+:/.test(time)
        ? after(now, clockDuration(time))
        : momentIn(time, now, zone);
    });
  return moment && !Number.isNaN(moment.getTime()) ? moment.toISOString() : null;
}

/** Returns the moment of an epoch figure in seconds or, beyond the year 5000, milliseconds; null if invalid. */
export function epochTime(figure: number): string | null {
  const ms = Math.abs(figure) < 1e11 ? figure * 1000 : figure;
  return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;
}

function epochIn(text: string): Date | undefined {
  const figure = epoch.exec(text)?.[1];
  return figure === undefined ? undefined : new Date(Number(figure) * 1000);
}

function momentIn(text: string, now: Date, zone: string): Date | undefined {
  const iso = isoForm.exec(text)?.groups;
  if (iso) return exactMoment(iso, zone);
  if (httpDate.test(text)) return new Date(Date.parse(httpDate.exec(text)?.[0] ?? ""));
  const wait = duration(text);
  if (wait !== undefined) return after(now, wait);
  const date = dateForm.exec(text)?.groups;
  if (date) return dateMoment(date, now, zone);
  const weekday = weekdayForm.exec(text)?.groups;
  if (weekday) return nextMoment(weekday, now, zone);
  const time = timeForm.exec(text)?.groups;
  // A bare number is not a time of day: "try again 3 times".
  return time && (time["half"] || time["minute"]) ? nextMoment(time, now, zone) : undefined;
}

function duration(text: string): number | undefined {
  const part =
    /(\d+(?:\.\d+)?) ?(ms|millisec\w*|s|sec\w*|m|min\w*|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])(?:,? and |, | )?/iy;
  let total: number | undefined;
  for (let found = part.exec(text); found; found = part.exec(text)) {
    const [, amount, unit = ""] = found;
    const name = /^mi?l?l?i?s/i.test(unit) ? "ms" : (unit[0] ?? "").toLowerCase();
    total = (total ?? 0) + Number(amount) * (unitMs[name] ?? 0);
  }
  return total;
}

/** Reads `1:30:00`. Two figures may be hours or minutes, so they are not read. */
function clockDuration(text: string): number | undefined {
  const [, hours, minutes, seconds] = /^(\d{1,3}):([0-5]\d):([0-5]\d)(?![\d:])/.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return (Number(hours) * 60 + Number(minutes)) * minuteMs + Number(seconds) * 1000;
}

type Parts = Readonly<Record<string, string | undefined>>;

function exactMoment(parts: Parts, zone: string): Date | undefined {
  const { offset } = parts;
  const wall = wallOf(parts, { year: Number(parts["year"]), month: Number(parts["month"]) });
  if (!wall || !isDate(wall)) return undefined;
  if (!offset) {
    const named = zoneNamed(parts["zone"], zone);
    return named === undefined ? undefined : momentsOf(wall, named)[0];
  }
  const [utc] = momentsOf(wall, "UTC");
  if (!utc) return undefined;
  const [hours, minutes] = [Number(offset.slice(0, 3)), Number(offset.slice(-2))];
  return new Date(utc.getTime() - (hours * 60 + Math.sign(hours || 1) * minutes) * minuteMs);
}

/** A month and day; without a year those nearest to `now`. */
function dateMoment(parts: Parts, now: Date, fallback: string): Date | undefined {
  const zone = zoneNamed(parts["zone"], fallback);
  if (zone === undefined) return undefined;
  const thisYear = wallTime(now, zone).year;
  const month = months.indexOf((parts["month"] ?? "").toLowerCase()) + 1;
  const years = parts["year"] ? [Number(parts["year"])] : [thisYear - 1, thisYear, thisYear + 1];
  const moments = years.flatMap((year) => {
    const wall = wallOf(parts, { year, month });
    return wall && isDate(wall) ? momentsOf(wall, zone).slice(0, 1) : [];
  });
  const distance = (moment: Date) => Math.abs(moment.getTime() - now.getTime());
  return moments.sort((a, b) => distance(a) - distance(b))[0];
}

/** The next time of day, on the weekday if one is named. */
function nextMoment(parts: Parts, now: Date, fallback: string): Date | undefined {
  const zone = zoneNamed(parts["zone"], fallback);
  if (zone === undefined) return undefined;
  const today = wallTime(now, zone);
  const weekday = parts["weekday"] ? weekdays.indexOf(parts["weekday"].toLowerCase()) : null;
  const days = Array.from({ length: weekday === null ? 3 : 9 }, (_, ahead) => daysLater(today, ahead));
  const moments = days
    .filter((day) => weekday === null || weekdayOf(day) === weekday)
    .flatMap((day) => {
      const wall = wallOf({ ...parts, day: String(day.day) }, day);
      return wall ? momentsOf(wall, zone) : [];
    });
  return moments.find((moment) => moment > now);
}

function wallOf(parts: Parts, on: Pick<WallTime, "year" | "month">): WallTime | undefined {
  const stated = Number(parts["hour"] ?? 0);
  const half = parts["half"]?.[0]?.toLowerCase();
  if (half && (stated < 1 || stated > 12)) return undefined;
  // "12:00 midnight" is 0:00, "12 noon" is 12:00.
  const hour = half ? (stated % 12) + (half === "p" || half === "n" ? 12 : 0) : stated;
  const wall = {
    year: on.year,
    month: on.month,
    day: Number(parts["day"]),
    hour,
    minute: Number(parts["minute"] ?? 0),
    second: Number(parts["second"] ?? 0),
  };
  return hour < 24 && wall.minute < 60 && wall.second < 60 ? wall : undefined;
}

function after(now: Date, ms: number | undefined): Date | undefined {
  // No limit lasts a year: such a figure is not a duration.
  return ms === undefined || ms > 366 * dayMs ? undefined : new Date(now.getTime() + Math.ceil(ms));
}

function seconds(figure: string | undefined): number | undefined {
  return figure === undefined ? undefined : Number(figure) * 1000;
}

function firstMatch<T, R>(items: Iterable<T>, read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = read(item);
    if (result !== undefined) return result;
  }
  return undefined;
}
