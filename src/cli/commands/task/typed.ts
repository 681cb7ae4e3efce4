import type { Invocation, OptionSpec, OptionValue, Session } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";

/** Returns a single value; "" when it was not given. */
export function textOption(value: OptionValue): string {
  return optionalText(value) ?? "";
}

export function optionalText(value: OptionValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns all values of a repeatable option or argument. */
export function textOptions(value: OptionValue): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [];
}

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
  const limit = optionalText(options["limit"]);
  if (limit !== undefined) {
    if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
    throw usageError(
      `invalid --limit ${JSON.stringify(limit)}: expected a positive integer`,
      "use --all for no limit",
    );
  }
  return session.screen.outIsTerminal && options["all"] !== true ? linesOnTerminal : Number.POSITIVE_INFINITY;
}
