import type { OptionSpec } from "./command.ts";

/** Options that every command accepts. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: "-C, --directory <folder>", description: "work in this folder" },
  { flags: "--config <file>", description: "read this file instead of .ralph/config.yaml" },
  { flags: "--no-config", description: "ignore all configuration files" },
  { flags: "--json", description: "print JSON" },
  { flags: "--quiet", description: "print only results, no notes or hints" },
  { flags: "--verbose", description: "print whole errors and steps, and stack traces" },
  { flags: "--no-color", description: "disable colour" },
  { flags: "--no-input", description: "never ask questions" },
];

/** Returns the spellings of an option: `-C`, `--directory`. */
export function flagsOf({ flags }: OptionSpec): readonly string[] {
  return flags.split(/[ ,]+/).filter((part) => part.startsWith("-"));
}

export function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes("<");
}

const valued = new Set(globalOptions.filter(takesValue).flatMap(flagsOf));

const isWord = (word: string): boolean => !word.startsWith("-");

/** Returns the index of the first word that is no option of every command, nor its value; -1: there is none. */
export function firstWord(words: readonly string[], isCommand: (word: string) => boolean = isWord): number {
  return words.findIndex((word, at) => isCommand(word) && !valued.has(words[at - 1] ?? ""));
}
