import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import type { RalphEvent } from "../events/event.ts";
import { storedLine } from "../trust/stored-text.ts";

const maxFieldChars = 120;
/** Shown in other places of the line, or of no use to people. */
const hidden: ReadonlySet<string> = new Set(["type", "timestamp", "jobId", "seq", "rows"]);

/** Returns an event of the log on one line: when, what, and its fields. */
export function eventLine(event: RalphEvent): SafeText {
  const fields = Object.entries(event)
    .filter(([name, value]) => !hidden.has(name) && value !== null && value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return safe`${storedLine(name, 40)}=${storedLine(text, maxFieldChars)}`;
    });
  return joinSafe([storedLine(event.timestamp, 30), storedLine(event.type, 60), ...fields], "  ");
}
