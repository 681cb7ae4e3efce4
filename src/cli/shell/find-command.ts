import { RalphError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import { compatibilityFlags } from "./compatibility.ts";
import { type CommandTable, type Entry, type Group, isGroup } from "./entry.ts";
import { globalOptions } from "./global-options.ts";

/** The parsed beginning of a command line: a command with its remaining words, or a help topic. */
export type FoundCommand =
  | {
      readonly kind: "command";
      readonly path: string;
      readonly entry: Entry;
      readonly words: readonly string[];
    }
  | { readonly kind: "help"; readonly topic: string | null }
  | { readonly kind: "version" };

/** Global options that take a value, so the word after them is not a command. */
const valued: ReadonlySet<string> = new Set(["-C", "--directory", "--config"]);

/** Every flag that is valid without a command. */
const globalFlags: readonly string[] = [
  ...globalOptions.flatMap(({ flags }) => flags.split(/[ ,]+/).filter((part) => part.startsWith("-"))),
  ...["-h", "--help", "-V", "--version"],
  ...compatibilityFlags.map(({ flag }) => flag),
];

/**
 * Finds the command in `typed` among `commands`; global options may come before it.
 *
 * @throws RalphError `RALPH_USAGE` for an unknown command or flag, with the nearest one.
 */
export function findCommand(commands: CommandTable, typed: readonly string[]): FoundCommand {
  const words = withoutCompatibilityFlag(typed);
  const at = firstWord(words, 0);
  const before = words.slice(0, at);
  const name = words[at];
  const node = commands.find((command) => command.name === name);
  // Flags before a command are parsed together with the command's own.
  if (!node) refuseUnknownFlags(before);
  if (before.includes("--version") || before.includes("-V")) return { kind: "version" };
  if (name === undefined) return { kind: "help", topic: null };
  if (name === "help") return findTopic(commands, words.slice(at + 1));
  if (!node) throw unknown(name, "", [...commands, { name: "help" }]);
  if (!isGroup(node))
    return { kind: "command", path: name, entry: node, words: [...before, ...words.slice(at + 1)] };
  return findVerb(node, words, { before, at });
}

/** Reports whether a command line is one of `ralph memory`, whose JSON is that of `swarm memory` (HIVE-5). */
export function asksMemory(typed: readonly string[]): boolean {
  return typed[firstWord(typed, 0)] === "memory";
}

/** Replaces a flag of an earlier ralph before any command, such as `--show-learnings`, by its command. */
function withoutCompatibilityFlag(words: readonly string[]): readonly string[] {
  const before = words.slice(0, firstWord(words, 0));
  const found = compatibilityFlags.find(({ flag }) => before.includes(flag));
  if (!found) return words;
  return [...found.command.split(" "), ...words.filter((word) => word !== found.flag)];
}

/** Handles `ralph help …`: `ralph help task add` equals `ralph task add --help`. */
function findTopic(commands: CommandTable, words: readonly string[]): FoundCommand {
  const flags = words.filter((word) => word.startsWith("-"));
  refuseUnknownFlags(flags);
  const topic = words.filter((word) => !word.startsWith("-") && word !== "help");
  const [name = ""] = topic;
  if (commands.some((node) => node.name === name)) return findCommand(commands, [...topic, "--help"]);
  return { kind: "help", topic: topic.join(" ") || null };
}

/** @throws RalphError `RALPH_USAGE` */
function refuseUnknownFlags(words: readonly string[]): void {
  for (let at = 0; at < words.length; at++) {
    const [flag = ""] = (words[at] ?? "").split("=");
    if (valued.has(flag)) {
      if (words[at] === flag && words[++at] === undefined) throw badFlag(`${flag} needs a value`);
    } else if (flag !== "--" && !globalFlags.includes(flag) && !flag.startsWith("-C")) {
      const near = nearest(flag, globalFlags);
      throw badFlag(`unknown option: ${flag}`, near && `did you mean ${near}?`);
    }
  }
}

function badFlag(
  message: string,
  hint = "ralph help lists the commands; each has its own options",
): RalphError {
  return new RalphError("RALPH_USAGE", message, { hint });
}

interface WordPosition {
  readonly before: readonly string[];
  readonly at: number;
}

function findVerb(group: Group, words: readonly string[], { before, at }: WordPosition): FoundCommand {
  const verbAt = firstWord(words, at + 1);
  const verbName = words[verbAt];
  if (verbName === undefined || verbName === "help") {
    refuseUnknownFlags([...before, ...words.slice(at + 1, verbAt)]);
    return { kind: "help", topic: group.name };
  }
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
