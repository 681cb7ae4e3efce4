import type { OptionSpec } from "./command.ts";

/** Options that every command knows. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: "-C, --directory <folder>", description: "work in this folder" },
  { flags: "--config <file>", description: "read this file in place of .ralph/config.yaml" },
  { flags: "--no-config", description: "read no configuration file" },
  { flags: "--json", description: "machine-readable output" },
  { flags: "--quiet", description: "say only what was asked for" },
  { flags: "--verbose", description: "say more; show traces of errors" },
  { flags: "--no-color", description: "no colour" },
  { flags: "--no-input", description: "never ask" },
];
