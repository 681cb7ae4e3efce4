import { knownZone } from "./zoned-time.ts";

/** Zones that agents and providers write by their letters. Letters with several meanings (IST, CST in China) are left out. */
const zonesByLetters: Readonly<Record<string, string>> = {
  ...{ UTC: "UTC", GMT: "UTC", Z: "UTC" },
  ...{ ET: "America/New_York", EST: "-05:00", EDT: "-04:00" },
  ...{ CT: "America/Chicago", CDT: "-05:00" },
  ...{ MT: "America/Denver", MST: "-07:00", MDT: "-06:00" },
  ...{ PT: "America/Los_Angeles", PST: "-08:00", PDT: "-07:00" },
  ...{ AKST: "-09:00", AKDT: "-08:00", HST: "-10:00" },
  ...{ WET: "+00:00", WEST: "+01:00", CET: "+01:00", CEST: "+02:00", EET: "+02:00", EEST: "+03:00" },
  ...{ MSK: "+03:00", SGT: "+08:00", HKT: "+08:00", JST: "+09:00", KST: "+09:00" },
  ...{ AWST: "+08:00", AEST: "+10:00", AEDT: "+11:00", NZST: "+12:00", NZDT: "+13:00" },
};

const zonesByName: Readonly<Record<string, string>> = {
  ...{ eastern: "America/New_York", central: "America/Chicago" },
  ...{ mountain: "America/Denver", pacific: "America/Los_Angeles" },
};

/**
 * Returns the zone that the word behind a time names, as an IANA name or an offset such as `+05:30`; `fallback` when the word
 * names none ("3pm or later"); undefined for a zone that is not known here, or whose letters have several meanings.
 */
export function zoneNamed(word: string | undefined, fallback: string): string | undefined {
  if (word === undefined) return fallback;
  const byLetters = zonesByLetters[word.toUpperCase().replace(/ TIME$/, "")];
  // Words such as "et" and "mt" name a zone in capitals only.
  if (byLetters !== undefined && /^[A-Zz]/.test(word)) return byLetters;
  if (/^(?:UTC|GMT)?[+-]\d/i.test(word)) return offsetIn(word);
  // A machine whose zone has no name prints this one.
  if (word === "Etc/Unknown") return fallback;
  if (/^[A-Z][A-Za-z_]*\/[A-Z]/.test(word)) return knownZone(word);
  const [, name] = /^(\w+) (?:standard |daylight )?time$/i.exec(word) ?? [];
  if (name !== undefined)
    return /^(?:local|machine)$/i.test(name) ? fallback : zonesByName[name.toLowerCase()];
  return / time$/i.test(word) || /^[A-Z]{2,5}$/.test(word) ? undefined : fallback;
}

/** Reads `GMT+8`, `UTC-5:30`, `+0530`. */
function offsetIn(word: string): string | undefined {
  const [, sign = "", hours = "99", minutes = "00"] = /([+-])(\d{1,2}):?(\d{2})?$/.exec(word) ?? [];
  return Number(hours) > 14 || Number(minutes) > 59
    ? undefined
    : `${sign}${hours.padStart(2, "0")}:${minutes}`;
}
