import type { CommandSpec, Invocation } from "./command.ts";

/** Global switches and the values that they set. Everything else needs the full parser. */
const switches: Readonly<Record<string, readonly [string, boolean]>> = {
  "--json": ["json", true],
  "--quiet": ["quiet", true],
  "--verbose": ["verbose", true],
  "--no-color": ["color", false],
  "--no-input": ["input", false],
  "--no-config": ["config", false],
};

/**
 * Parses the most common command lines (no argument, global switches only) without the argument parser, whose loading
 * takes a fifth of the start-up time of `ralph status`. Returns undefined when the parser is needed.
 */
export function quickParse(
  spec: Pick<CommandSpec, "arguments">,
  words: readonly string[],
): Invocation | undefined {
  if (spec.arguments?.some(({ name }) => name.startsWith("<"))) return undefined;
  const options: Record<string, boolean> = {};
  for (const word of words) {
    const known = switches[word];
    if (!known) return undefined;
    options[known[0]] = known[1];
  }
  return { args: {}, options };
}
