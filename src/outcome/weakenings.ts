import { join } from "node:path";
import { filesNamed, foldersOf, scriptsRun } from "./command-files.ts";
import { configurationChange, isConfiguration, isReformatted } from "./configuration-change.ts";
import { isManifest, manifestChange, scriptsOf } from "./manifest-change.ts";
import { readSmallFile } from "./package-script.ts";
import { isTestFile } from "./test-languages.ts";
import { hasTests, weakerTests } from "./weaker-tests.ts";
import { createdFile, type FileDiff, parseDiff } from "./work-diff.ts";

/** A change of a file that weakens the verification of the work. */
export interface Weakening {
  readonly path: string;
  /** A clause: `verification runs it`. */
  readonly why: string;
}

/** The commands that verify a task, and what they read. */
export interface Verifiers {
  /** The command lines. */
  readonly commands: readonly string[];
  /** By path: the texts of the `package.json` that the commands use, as far as there are any (`manifestsOf`). */
  readonly manifests: ReadonlyMap<string, string>;
  /** True for the paths that a person protects (`protect`). */
  readonly isProtected: (path: string) => boolean;
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

/** Returns the paths of the `package.json` files whose scripts the commands may run. */
export function manifestsOf(commands: readonly string[]): readonly string[] {
  return foldersOf(commands).map((folder) => `${folder}package.json`);
}

/** Returns those of the changed files whose differences `weakenings` reads. */
export function filesToCompare(files: readonly string[], verifiers: Verifiers): readonly string[] {
  const named = filesNamed(allLines(verifiers, new Map()));
  return files.filter(
    (path) => isManifest(path) || isConfiguration(path) || hasTests(path) || named.has(path),
  );
}

/**
 * Returns what an attempt weakens of what verifies it (LOOP-18): files that the commands name, package scripts, configuration of tests
 * and CI, protected files, deleted or skipped tests. New tests, new scripts, moved or renamed tests and other formatting do not weaken it.
 */
export function weakenings(verifiers: Verifiers, changes: AttemptChanges): readonly Weakening[] {
  const parsed = parseDiff(changes.diff);
  const created = [...changes.created].map(([path, text]) => [path, createdFile(text)] as const);
  const files = new Map([...created, ...parsed]);
  const lines = allLines(verifiers, files);
  const named = filesNamed(lines);
  const tests = weakerTests(files);
  return changes.files.flatMap((path) => {
    if (verifiers.isProtected(path)) return [{ path, why: "it is protected" }];
    const file = files.get(path);
    const whys = file ? whysOf(path, file, { lines, named }) : [];
    return [...whys, ...(tests.get(path) ?? [])].map((why) => ({ path, why }));
  });
}

interface Read {
  readonly lines: readonly string[];
  readonly named: ReadonlySet<string>;
}

function whysOf(path: string, file: FileDiff, { lines, named }: Read): readonly string[] {
  if (isManifest(path)) return manifestChange(path, file, lines);
  if (isConfiguration(path)) return configurationChange(path, file, named);
  const isRun = named.has(path) && !file.created && !isTestFile(path);
  return isRun && !isReformatted(file) ? ["verification runs it"] : [];
}

/** Returns the commands, and the package scripts that they run, as these were before the attempt. */
function allLines(
  { commands, manifests }: Verifiers,
  files: ReadonlyMap<string, FileDiff>,
): readonly string[] {
  const scripts = manifestsOf(commands).flatMap((path) => {
    const text = files.get(path)?.before.join("\n") ?? manifests.get(path) ?? "";
    const folder = path.slice(0, -"package.json".length);
    const run = [...scriptsRun(commands, scriptsOf(text)).values()];
    return folder === "" ? run : run.map((script) => `cd ${folder} && ${script}`);
  });
  return [...commands, ...scripts];
}

/** Returns a sentence for each weakening. */
export function describeWeakenings(found: readonly Weakening[]): readonly string[] {
  return found.map(({ path, why }) => `${path} was changed: ${why}`);
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
