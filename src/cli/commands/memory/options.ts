import type { OptionSpec, OptionValue, Session } from "../../shell/command.ts";
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
  const name = textOption(value);
  if (name === undefined || name === hivemindName) return null;
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw usageError(
      `invalid --collection ${JSON.stringify(name)}: expected a name`,
      "use at most 64 letters, digits, dots, dashes and underscores",
    );
  }
  return name === "default" ? "project" : name;
}

export function textOption(value: OptionValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the values of a list option: separated by commas, repeated, or both. */
export function listOption(value: OptionValue): readonly string[] {
  const given = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  return given.flatMap((text: string) => text.split(",")).flatMap((text) => text.trim() || []);
}

/** As `listOption`, without quotes. */
export function tagsOption(value: OptionValue): readonly string[] {
  return listOption(value).flatMap((tag) => tag.replace(/["'`]/g, "").trim() || []);
}

/** Returns a positive integer, or `otherwise` without a value.
 *
 * @throws RalphError `RALPH_USAGE` */
export function numberOption(value: OptionValue, flag: string, otherwise: number): number {
  if (value === undefined) return otherwise;
  const text = textOption(value) ?? "";
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError(
    `invalid ${flag} ${JSON.stringify(text)}: expected a positive integer`,
    `use a number such as ${flag} 10`,
  );
}

/** Reads standard input.
 *
 * @throws RalphError `RALPH_USAGE` above 200 MB */
export async function readInput({ around }: Session): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of around.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > 200_000_000) throw usageError("standard input is larger than 200 MB", "import it in parts");
  }
  return Buffer.concat(chunks).toString("utf8");
}
