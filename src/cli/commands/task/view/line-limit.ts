import { RalphError } from "../../../../base/errors.ts";
import type { Invocation, OptionSpec, Session } from "../../../shell/command.ts";
import { optionalText } from "../input/typed.ts";

/** Of commands that may print a line for each of thousands of tasks. */
export const lengthOptions: readonly OptionSpec[] = [
  { flags: "--limit <lines>", description: "print at most so many lines" },
  { flags: "--all", description: "print every line, on a terminal too" },
];

/** What fits a few screens. */
const linesOnTerminal = 100;

/** How many lines to print: all of them where no person waits for the first. RALPH_USAGE for a limit that is none. */
export function lineLimit(session: Session, options: Invocation["options"]): number {
  const limit = optionalText(options["limit"]);
  if (limit !== undefined) {
    if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
    throw new RalphError("RALPH_USAGE", `--limit ${JSON.stringify(limit)} is no number of lines`, {
      hint: "a whole number from 1, or --all",
    });
  }
  return session.screen.outIsTerminal && options["all"] !== true ? linesOnTerminal : Number.POSITIVE_INFINITY;
}
