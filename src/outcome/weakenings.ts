import { basename, join } from "node:path";
import { nameSome } from "../base/text.ts";
import { type CommandReads, commandReads } from "./command-files.ts";
import { configurationChange, isConfiguration, isReformatted } from "./configuration-change.ts";
import { isManifest, manifestChange } from "./manifest-change.ts";
import { readSmallFile } from "./package-script.ts";
import { isTestFile, stemOf } from "./test-languages.ts";
import { hasTests, weakerTests } from "./weaker-tests.ts";
import { createdFile, type FileDiff, parseDiff } from "./work-diff.ts";

/** A change of a file that weakens the verification of the work. */
export interface Weakening {
  readonly path: string;
  /** A clause: `verification runs it`. */
  readonly why: string;
  readonly isNew: boolean;
}

/** The commands that verify a task, and what they read. */
export interface Verifiers {
  /** The command lines. */
  readonly commands: readonly string[];
  /** By path: the texts of the files that say what the commands run (`textsOfCommands`). */
  readonly texts: ReadonlyMap<string, string>;
  /** True for the paths that a person protects (`protect`). */
  readonly isProtected: (path: string) => boolean;
  /** The task's own words: what it asks for is no weakening. */
  readonly task: string;
}

/** The changes of an attempt. */
export interface AttemptChanges {
  /** Relative to the project. */
  readonly files: readonly string[];
  /** Output of `git diff` with whole files, without untracked ones. */
  readonly diff: string;
  /** By path: the texts of untracked files that are compared; tests may have moved there. */
  readonly created: ReadonlyMap<string, string>;
}

/** Returns those of the changed files whose differences `weakenings` reads. */
export function filesToCompare(files: readonly string[], verifiers: Verifiers): readonly string[] {
  const { commands, texts, isProtected } = verifiers;
  const { named } = commandReads(commands, (path) => texts.get(path) ?? "");
  return files.filter(
    (path) =>
      isManifest(path) || isConfiguration(path) || hasTests(path) || named.has(path) || isProtected(path),
  );
}

/**
 * Returns what an attempt weakens of what verifies it (LOOP-18): files that the commands name, package scripts, configuration of tests
 * that they read, protected files, deleted or skipped tests. New tests, new scripts, moved or renamed tests, other formatting, and what
 * the task asks for do not weaken it.
 */
export function weakenings(verifiers: Verifiers, changes: AttemptChanges): readonly Weakening[] {
  const parsed = parseDiff(changes.diff);
  const created = [...changes.created].map(([path, text]) => [path, createdFile(text)] as const);
  const files = new Map([...created, ...parsed]);
  const before = (path: string): string =>
    files.get(path)?.before.join("\n") ?? verifiers.texts.get(path) ?? "";
  const reads = commandReads(verifiers.commands, before);
  const tests = weakerTests(files);
  return changes.files.flatMap((path) => {
    const file = files.get(path);
    const isNew = file?.created ?? false;
    if (verifiers.isProtected(path)) return [{ path, why: "it is protected", isNew }];
    const whys = file ? [...whysOf(path, file, reads), ...(tests.get(path) ?? [])] : [];
    if (whys.length === 0 || isAskedFor(path, verifiers.task)) return [];
    return whys.map((why) => ({ path, why, isNew }));
  });
}

function whysOf(path: string, file: FileDiff, reads: CommandReads): readonly string[] {
  if (isManifest(path)) return manifestChange(path, file, reads);
  if (isConfiguration(path)) return configurationChange(path, file, reads);
  const isRun = reads.named.has(path) && !file.created && !isTestFile(path);
  return isRun && !isReformatted(file) ? ["verification runs it"] : [];
}

/** Verbs that announce a change of tests. */
const change =
  "\\b(?:remov|delet|drop|mov|renam|revert|migrat|rewrit|merg|split|skip|disabl|replac|consolidat|port|convert|get rid)\\w*\\b";
const changesTests = new RegExp(`${change}[^.\\n]{0,60}\\b(?:tests?|specs?)\\b`, "i");

/**
 * Returns true if the words of a task ask for a change of the file: they have its path or name, the program that it configures, or say
 * that tests (of what it tests) are removed, moved or skipped.
 */
function isAskedFor(path: string, task: string): boolean {
  const text = task.toLowerCase();
  const name = basename(path);
  if (hasWord(text, path.toLowerCase()) || hasWord(text, name.toLowerCase())) return true;
  const stem = stemOf(path);
  if (!isTestFile(path)) return /[._]config\.|rc(?:\.|$)|^tsconfig/.test(name) && hasWord(text, stem);
  return (
    changesTests.test(task) || (stem.length > 2 && hasWord(text, stem) && new RegExp(change, "i").test(task))
  );
}

function hasWord(text: string, word: string): boolean {
  if (word === "") return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/\w/.test(`${text[at - 1] ?? ""}${text[at + word.length] ?? ""}`)) return true;
  return false;
}

/** Returns a sentence for each weakening. */
export function describeWeakenings(found: readonly Weakening[]): readonly string[] {
  return found.map(({ path, why, isNew }) => `${path} was ${isNew ? "added" : "changed"}: ${why}`);
}

/** Returns one line for the weakenings and the `other` findings; if these are several, each follows on a line of its own. */
export function summarizeWeakenings(
  found: readonly Weakening[],
  other: readonly string[],
): readonly string[] {
  const all = [...describeWeakenings(found), ...other];
  if (all.length < 2) return all;
  const paths = [...new Set(found.map(({ path }) => path))];
  const files = paths.length === 1 ? "1 file" : `${paths.length} files`;
  const first = paths.length === 0 ? [] : [`${files} that checks read: ${nameSome(paths)}`];
  return [[[...first, ...other].join("; "), ...all].join("\n")];
}

/** Returns the texts of these files by path, without those that are no files, or larger than 1 MiB. */
export async function readTexts(
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readSmallFile(join(root, path))] as const),
  );
  return new Map(texts.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])));
}

/** A package script that runs make, whose recipe runs a script. */
const maxRounds = 4;

/** Returns the texts of the files that say what the commands run: manifests, Makefiles, scripts. */
export async function textsOfCommands(
  root: string,
  commands: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  const asked = new Set<string>();
  for (let round = 0; round < maxRounds; round += 1) {
    const missing = new Set<string>();
    commandReads(commands, (path) => {
      if (!asked.has(path)) missing.add(path);
      return known.get(path) ?? "";
    });
    if (missing.size === 0) break;
    for (const path of missing) asked.add(path);
    for (const [path, text] of await readTexts(root, [...missing])) known.set(path, text);
  }
  return known;
}
