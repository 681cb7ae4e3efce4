import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { storeUrl } from "../../config/environment.ts";
import { defaultStore, findProjectWithStore } from "../../config/find-project.ts";
import { openStore } from "../../store/open-store.ts";
import { listTaskLines } from "../../tasks/graph/task-store.ts";
import { storedLine, storedText } from "../../trust/stored-text.ts";
import type { CommandSpec, OptionSpec } from "./command.ts";
import { type CommandTable, isGroup } from "./entry.ts";
import { flagsOf, globalOptions, takesValue } from "./global-options.ts";

/** A completion and its description. */
interface Candidate {
  readonly value: string;
  readonly about: string;
}

/**
 * Returns completions for the last of `words` (the words after `ralph`), one a line: the word, a tab and its description.
 * Returns "" for free text and for file names, which the shell completes. Only reads, and never throws.
 */
export async function complete(commands: CommandTable, words: readonly string[]): Promise<SafeText> {
  const typed = words.at(-1) ?? "";
  const found = await candidates(commands, words.slice(0, -1), typed).catch(() => []);
  const lines = found
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, about }) => safe`${storedText(value)}\t${storedLine(about, 80)}\n`);
  return joinSafe(lines, "");
}

async function candidates(
  commands: CommandTable,
  before: readonly string[],
  typed: string,
): Promise<readonly Candidate[]> {
  const { spec, rest, nodes } = await walk(commands, before);
  const options = [...(spec?.options ?? []), ...globalOptions];
  const open = options.find((option) => takesValue(option) && flagsOf(option).includes(before.at(-1) ?? ""));
  if (open) return valuesOf(open, before);
  if (typed.startsWith("-")) {
    return options.flatMap((option) => {
      const flag = flagsOf(option).find((name) => name.startsWith("--"));
      return flag ? [{ value: flag, about: option.description }] : [];
    });
  }
  if (!spec) return nodes.map(({ name, summary }) => ({ value: name, about: summary }));
  const given = wordsOf(rest, options).length;
  const all = spec.arguments ?? [];
  const argument = all[given] ?? all.findLast(({ name }) => name.includes("..."));
  if (!argument) return [];
  if (argument.choices) return argument.choices.map((value) => ({ value, about: "" }));
  return isTask(argument.name) ? tasks(before) : [];
}

interface CompletionPlace {
  readonly spec?: CommandSpec;
  readonly rest: readonly string[];
  /** Possible next words while no command is complete. */
  readonly nodes: CommandTable;
}

async function walk(commands: CommandTable, words: readonly string[]): Promise<CompletionPlace> {
  let nodes = commands;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word.startsWith("-")) {
      if (globalOptions.some((option) => takesValue(option) && flagsOf(option).includes(word))) at++;
      continue;
    }
    const node = nodes.find(({ name }) => name === word);
    if (!node) return { rest: [], nodes: [] };
    if (!isGroup(node)) return { spec: await node.load(), rest: words.slice(at + 1), nodes: [] };
    nodes = node.verbs;
  }
  return { rest: [], nodes: nodes.filter(({ listed }) => listed !== "never") };
}

async function valuesOf(option: OptionSpec, before: readonly string[]): Promise<readonly Candidate[]> {
  if (option.choices) return option.choices.map((value) => ({ value, about: "" }));
  return isTask(/<.+>/.exec(option.flags)?.[0] ?? "") ? tasks(before) : [];
}

function isTask(placeholder: string): boolean {
  return /^[<[](?:ids?|tasks?|blockers?)(?:\.\.\.)?[>\]]$/.test(placeholder);
}

/** Returns the words that are neither options nor their values. */
function wordsOf(words: readonly string[], options: readonly OptionSpec[]): readonly string[] {
  return words.filter((word, at) => {
    const valued = options.some((one) => takesValue(one) && flagsOf(one).includes(words[at - 1] ?? ""));
    return !word.startsWith("-") && !valued;
  });
}

/** Returns the project's tasks, open ones first. Ids that need quoting in a shell are left out. */
async function tasks(before: readonly string[]): Promise<readonly Candidate[]> {
  const folder = before[before.findIndex((word) => word === "-C" || word === "--directory") + 1];
  const named = before.includes("-C") || before.includes("--directory");
  const root = findProjectWithStore(resolve(named && folder ? folder : "."))?.root;
  const path = root === undefined ? "" : join(root, defaultStore);
  // A server is not asked at each press of a key.
  if (path === "" || !existsSync(path) || storeUrl() !== undefined) return [];
  const db = await openStore({ path, readOnly: true, create: false });
  try {
    const lines = (await listTaskLines(db)).filter(({ id }) => /^[A-Za-z0-9][\w.:-]*$/.test(id));
    const isDone = ({ status }: { readonly status: string }): boolean => status === "done";
    return [...lines.filter((line) => !isDone(line)), ...lines.filter(isDone)].map(({ id, title }) => {
      return { value: id, about: title };
    });
  } finally {
    await db.close();
  }
}
