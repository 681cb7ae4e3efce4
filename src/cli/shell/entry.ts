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

/** The summary of a command, and its module, which exports it by its own name or as `command`. */
type Row = readonly [summary: string, load: () => Promise<Readonly<Record<string, CommandSpec>>>];

/** Makes an entry of a module that exports `command`. */
export function entry(name: string, ...[summary, load]: Row): Entry {
  return {
    name,
    summary,
    load: async () => {
      const { [name]: own, command } = await load();
      const spec = own ?? command;
      if (!spec) throw new Error(`no command ${name}`);
      return spec;
    },
  };
}

export function group(name: string, summary: string, verbs: Readonly<Record<string, Row>>): Group {
  return { name, summary, verbs: Object.entries(verbs).map(([verb, row]) => entry(verb, ...row)) };
}

/** Returns commands by their names, and groups, in this order. */
export function nodes(rows: Readonly<Record<string, Row | Group>>): CommandTable {
  return Object.entries(rows).map(([name, row]) => ("verbs" in row ? row : entry(name, ...row)));
}

export function isGroup(node: Entry | Group): node is Group {
  return "verbs" in node;
}
