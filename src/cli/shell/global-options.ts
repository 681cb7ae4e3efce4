import type { OptionSpec } from "./command.ts";

/** Options that every command accepts. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: "-C, --directory <folder>", description: "work in this folder" },
  { flags: "--config <file>", description: "read this file instead of .ralph/config.yaml" },
  { flags: "--no-config", description: "ignore all configuration files" },
  { flags: "--json", description: "print JSON" },
  { flags: "--quiet", description: "print only results, no notes or hints" },
  { flags: "--verbose", description: "print more detail, and stack traces of errors" },
  { flags: "--no-color", description: "disable colour" },
  { flags: "--no-input", description: "never ask questions" },
];
