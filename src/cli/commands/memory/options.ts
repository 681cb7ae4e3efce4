import type { OptionSpec, OptionValue, Session } from "../../shell/command.ts";
import { optionalText, textOptions } from "../../shell/option-values.ts";
import { readStream } from "../../shell/read-stream.ts";
import { usageError } from "../../shell/usage-error.ts";

/** The collection that all projects share. */
export const hivemindName = "hivemind";

/** The option that selects a part of memory. */
export const collectionOption: OptionSpec = {
  flags: "--collection <name>",
  description: "hivemind, or a named part of the project's memory (default: project)",
};

/** Returns the scope of a collection; null without one, and for the hivemind.
 *
 * @throws RalphError `RALPH_USAGE` */
export function scopeOption(value: OptionValue): string | null {
  const name = optionalText(value);
  if (name === undefined || name === hivemindName) return null;
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw usageError(
      `invalid --collection ${JSON.stringify(name)}: expected a name`,
      "use at most 64 letters, digits, dots, dashes and underscores",
    );
  }
  return name === "default" ? "project" : name;
}

/** Returns the values of a list option: separated by commas, repeated, or both. */
export function listOption(value: OptionValue): readonly string[] {
  return textOptions(value)
    .flatMap((text) => text.split(","))
    .flatMap((text) => text.trim() || []);
}

/** As `listOption`, without quotes. */
export function tagsOption(value: OptionValue): readonly string[] {
  return listOption(value).flatMap((tag) => tag.replace(/["'`]/g, "").trim() || []);
}

/** Reads standard input.
 *
 * @throws RalphError `RALPH_USAGE` above 200 MB */
export async function readInput({ around }: Session): Promise<string> {
  const text = await readStream(around.stdin, 200_000_000);
  if (text === null) throw usageError("standard input is larger than 200 MB", "import it in parts");
  return text;
}
