import type { CommandSpec } from "./command.ts";

/** Every command, in the order of the help. */
export type CommandTable = readonly (Entry | Group)[];

interface Named {
  readonly name: string;
  /** A verb in the imperative, for the help. */
  readonly summary: string;
  /** Where the help shows it: with its summary on the first screen, by name there, or nowhere. Default: by name. */
  readonly listed?: "first" | "never";
}

/** A command that is loaded when it is called, so start-up loads only that command. */
export interface Entry extends Named {
  readonly load: () => Promise<CommandSpec>;
}

export interface Group extends Named {
  readonly verbs: readonly Entry[];
}

/** Makes an entry of a module that exports `command`. */
export function entry(
  name: string,
  summary: string,
  load: () => Promise<{ readonly command: CommandSpec }>,
): Entry {
  return { name, summary, load: async () => (await load()).command };
}

export function isGroup(node: Entry | Group): node is Group {
  return "verbs" in node;
}
