/** A calendar date and time of day, as a clock on the wall shows it. `month` counts from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const dayMs = 86_400_000;

/** Returns the machine's IANA zone; UTC if unknown (invalid `TZ`, or a container without a zone). */
export function localZone(): string {
  return knownZone(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? "UTC";
}

/** Returns `name` in canonical form if this machine knows the zone. */
export function knownZone(name: string | undefined): string | undefined {
  if (!name) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Constructing a format takes fifteen times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, format);
  return format;
}

/** Returns the date and time of day in `zone`, an IANA name or an offset such as `+05:30`, at `moment`. */
export function wallTime(moment: Date, zone: string): WallTime {
  // Node 20's Intl knows no offsets.
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign !== undefined) {
    const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
    return wallTime(new Date(moment.getTime() + ahead), "UTC");
  }
  const parts = Object.fromEntries(
    formatIn(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day, hour, minute, second };
}

/**
 * Returns the moments at which clocks in `zone` show `wall`, earliest first: two in the hour that the change to winter
 * time repeats; one in the hour that the change to summer time skips, as if the clock had not changed.
 */
export function momentsOf(wall: WallTime, zone: string): readonly Date[] {
  const shown = asUtc(wall);
  const candidates = [shown - dayMs, shown + dayMs].map((near) => shown - offsetAt(near, zone));
  const [first = shown, second = shown] = candidates;
  const found = [...new Set(candidates)].filter((at) => asUtc(wallTime(new Date(at), zone)) === shown);
  return (found.length > 0 ? found.sort((a, b) => a - b) : [Math.max(first, second)]).map(
    (at) => new Date(at),
  );
}

/** Checks that the date exists. */
export function isDate({ year, month, day }: WallTime): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Returns `wall` moved by `days`, at the same time of day. */
export function daysLater(wall: WallTime, days: number): WallTime {
  const date = new Date(Date.UTC(wall.year, wall.month - 1, wall.day + days));
  return {
    ...wall,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
  };
}

/** Returns the day of the week; 0 is Sunday. */
export function weekdayOf({ year, month, day }: WallTime): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function offsetAt(moment: number, zone: string): number {
  return asUtc(wallTime(new Date(moment), zone)) - Math.floor(moment / 1000) * 1000;
}
