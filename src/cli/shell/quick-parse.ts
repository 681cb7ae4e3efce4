import type { CommandSpec, Invocation } from "./command.ts";

/** Global switches by what they set; all else needs the real parser. */
const switches: Readonly<Record<string, readonly [string, boolean]>> = {
  "--json": ["json", true],
  "--quiet": ["quiet", true],
  "--verbose": ["verbose", true],
  "--no-color": ["color", false],
  "--no-input": ["input", false],
  "--no-config": ["config", false],
};

/**
 * Parses the commonest command lines (no argument, global switches only) without loading the argument parser, which
 * would be a fifth of the start-up time of `ralph status`. Undefined: use the parser.
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
