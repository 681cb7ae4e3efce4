import { nearest } from "../../../base/nearest.ts";
import { priorityNames as names } from "../../../tasks/graph/task.ts";
import { usageError } from "../../shell/usage-error.ts";

/** Parses a priority: 0 for `critical` to 3 for `low`, or a number.
 *
 * @throws RalphError `RALPH_USAGE` */
export function parsePriority(text: string): number {
  const at = names.indexOf(text.toLowerCase());
  if (at >= 0) return at;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const meant = nearest(text, names);
  throw usageError(
    `invalid --priority ${JSON.stringify(text)}: unknown priority`,
    meant ? `did you mean ${meant}?` : `use ${names.join(", ")} or a number from 0`,
  );
}

export function priorityName(priority: number): string {
  return names[priority] ?? String(priority);
}
