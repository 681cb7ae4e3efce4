import { noteTypeNames } from "../../../memory/note-actions.ts";
import type { OptionSpec, OptionValue } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";

/** The options that name a session, as in `ralph run` (NOTE-5). */
export const sessionOptions: readonly OptionSpec[] = [
  {
    flags: "--name <session>",
    description: "the session (default: that of the active run, else the current branch)",
    whenBlank: "give a name, or leave out --name",
  },
  { flags: "--spec <file>", description: "the session of `ralph run --spec <file>`" },
];

/** Reads `--type`; undefined when it was not given. */
export function typeOption(value: OptionValue): (typeof noteTypeNames)[number] | undefined {
  if (value === undefined) return undefined;
  const type = noteTypeNames.find((name) => name === value);
  if (type) return type;
  throw usageError(`unknown note type ${JSON.stringify(value)}`, `use one of ${noteTypeNames.join(", ")}`);
}
