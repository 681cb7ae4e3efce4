import type { Invocation, OptionSpec, Session } from "../../shell/command.ts";
import { positiveInteger } from "../../shell/option-values.ts";

/** Options of commands that may print thousands of lines. */
export const lengthOptions: readonly OptionSpec[] = [
  { flags: "--limit <lines>", description: "maximum number of lines" },
  { flags: "--all", description: "print every line, even on a terminal" },
];

/** A few screens. */
const linesOnTerminal = 100;

/** Returns the maximum number of lines: `--limit`, else 100 on a terminal and no limit elsewhere.
 *
 * @throws RalphError `RALPH_USAGE` for an invalid `--limit` */
export function lineLimit(session: Session, options: Invocation["options"]): number {
  const limit = positiveInteger(options["limit"], "--limit");
  if (limit !== undefined) return limit;
  return session.screen.outIsTerminal && options["all"] !== true ? linesOnTerminal : Number.POSITIVE_INFINITY;
}
