import type { CommandSpec } from "./command.ts";

/** A command that is loaded when it is called, so start-up loads only that command. */
export interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandSpec>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly verbs: readonly Entry[];
}

/** Every command, in the order of the help. */
export type CommandTable = readonly (Entry | Group)[];

export function entry(name: string, summary: string, load: () => Promise<CommandSpec>): Entry {
  return { name, summary, load };
}

export function isGroup(node: Entry | Group): node is Group {
  return "verbs" in node;
}
