import { RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { commands, type Entry, type Group, isGroup } from "./registry.ts";

/** What a command line asks for: a command and the words left for it, or help about something. */
export type Asked =
  | {
      readonly kind: "command";
      readonly path: string;
      readonly entry: Entry;
      readonly words: readonly string[];
    }
  | { readonly kind: "help"; readonly topic: string | null }
  | { readonly kind: "version" };

/** Global options that take a value; the word after them is no command. */
const valued: ReadonlySet<string> = new Set(["-C", "--directory", "--config"]);

/**
 * Finds the command in `words`; global options may stand before it.
 *
 * @throws RalphError `RALPH_USAGE` for an unknown command, with the nearest one.
 */
export function findCommand(words: readonly string[]): Asked {
  const at = firstWord(words, 0);
  const before = words.slice(0, at);
  if (before.includes("--version") || before.includes("-V")) return { kind: "version" };
  const name = words[at];
  if (name === undefined) return { kind: "help", topic: null };
  if (name === "help") return { kind: "help", topic: words.slice(at + 1).join(" ") || null };
  const node = commands.find((command) => command.name === name);
  if (!node) throw unknown(name, "", commands);
  if (!isGroup(node))
    return { kind: "command", path: name, entry: node, words: [...before, ...words.slice(at + 1)] };
  return findVerb(node, words, { before, at });
}

interface Place {
  readonly before: readonly string[];
  readonly at: number;
}

function findVerb(group: Group, words: readonly string[], { before, at }: Place): Asked {
  const verbAt = firstWord(words, at + 1);
  const verbName = words[verbAt];
  if (verbName === undefined || verbName === "help") return { kind: "help", topic: group.name };
  const verb = group.verbs.find((entry) => entry.name === verbName);
  if (!verb) throw unknown(verbName, `${group.name} `, group.verbs);
  const rest = [...before, ...words.slice(at + 1, verbAt), ...words.slice(verbAt + 1)];
  return { kind: "command", path: `${group.name} ${verbName}`, entry: verb, words: rest };
}

function firstWord(words: readonly string[], from: number): number {
  let at = from;
  while (at < words.length && words[at]?.startsWith("-")) at += valued.has(words[at] ?? "") ? 2 : 1;
  return at;
}

function unknown(name: string, prefix: string, among: readonly { readonly name: string }[]): RalphError {
  const names = among.map((node) => node.name);
  const near = nearest(name, names);
  const hint = near ? `did you mean: ralph ${prefix}${near}` : `ralph ${prefix}help lists the commands`;
  return new RalphError("RALPH_USAGE", `unknown command: ralph ${prefix}${name}`, { hint });
}
