import { commands } from "../../src/cli/command-table.ts";
import type { CommandSpec, OptionSpec } from "../../src/cli/shell/command.ts";
import { isGroup } from "../../src/cli/shell/entry.ts";

/** The words after `ralph`. */
export type Line = readonly string[];
/** Arguments by the command's path; other commands get made-up ones. */
export type Samples = Readonly<Record<string, Line>>;

export interface Listed {
  /** `task add`. */
  readonly path: string;
  readonly spec: CommandSpec;
}

/** Every command of the table, verbs of groups included. */
export async function listCommands(): Promise<readonly Listed[]> {
  const entries = commands.flatMap((node) =>
    isGroup(node)
      ? node.verbs.map((verb) => ({ path: `${node.name} ${verb.name}`, entry: verb }))
      : [{ path: node.name, entry: node }],
  );
  return Promise.all(entries.map(async ({ path, entry }) => ({ path, spec: await entry.load() })));
}

/** Every way to ask for help. */
export function helpLines(listed: readonly Listed[]): readonly Line[] {
  const topics = [...commands.filter(isGroup).map(({ name }) => name), "exit-codes", "environment"];
  return [
    [],
    ["--help"],
    ["--version"],
    ...topics.map((topic) => ["help", topic]),
    ...listed.flatMap(({ path }) => [
      ["help", ...path.split(" ")],
      [...path.split(" "), "--help"],
    ]),
  ];
}

/** Switches with which a command waits for more to come. */
const endless: ReadonlySet<string> = new Set(["--follow"]);

/** A command as it is, with `--json`, with each of its switches and with each choice of each option. */
export function useLines(listed: readonly Listed[], samples: Samples): readonly Line[] {
  return listed.flatMap(({ path, spec }) => {
    const words = [...path.split(" "), ...(samples[path] ?? required(spec))];
    return [[], ["--json"], ...(spec.options ?? []).flatMap(variants)].map((more) => [...words, ...more]);
  });
}

function required(spec: CommandSpec): Line {
  return (spec.arguments ?? []).flatMap(({ name, choices }) =>
    name.startsWith("<") ? [choices?.[0] ?? (/^<(?:id|task)/.test(name) ? "t-1" : "text")] : [],
  );
}

function variants({ flags, choices = [] }: OptionSpec): readonly Line[] {
  const flag = /--[\w-]+/.exec(flags)?.[0] ?? flags;
  if (endless.has(flag)) return [];
  return flags.includes("<") ? choices.map((choice) => [flag, choice]) : [[flag]];
}
