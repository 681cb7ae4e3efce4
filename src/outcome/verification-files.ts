import type { Workspace } from "../workspace/workspace.ts";
import { countsTestsOf, fewerTests } from "./verification/count-tests.ts";
import { whyDefining } from "./verification/definitions.ts";
import { describeDeletedIn } from "./verification/diff/moved-tests.ts";
import { showsWeakerChecks, weakerChecks, weakerTests } from "./verification/diff/weaker-checks.ts";
import { isProgram, whys } from "./verification/inputs/known-inputs.ts";
import type { InputChange as Change, OpenInput as Open } from "./verification/inputs/open-input.ts";
import type { Place } from "./verification/inputs/search.ts";
import { shellWords } from "./verification/inputs/shell-text.ts";
import { type InputWatch, watchInputs } from "./verification/inputs/watch-inputs.ts";
import { type ChangedManifests, describingManifests } from "./verification/manifests/new-packages.ts";
import { leavesVerification } from "./verification/manifests/package-keys.ts";
import { leavesPythonTools } from "./verification/manifests/python-project.ts";
import { type FileDiff, parseDiff } from "./verification/parse-diff.ts";
import { skipsMore } from "./verification/skipped-tests.ts";
import { hasInlineTests, isTestFile, mayBeTestFile } from "./verification/test-files.ts";

/** The files that verification reads, compared with what they were before the agents. */
export type VerificationInputs = InputWatch;

/** A changed file that verification reads. */
export type InputChange = Change;

/** A change that nobody accepted, to be recognized by a later run. */
export type OpenInput = Open;

/**
 * Starts to watch what the verification of a project reads (LOOP-18). `env` is the environment of its commands, `cleanFolder`
 * another folder below which they run.
 */
export function watchVerification({ root, env, cleanFolder }: Place): VerificationInputs {
  return watchInputs({ root, env, cleanFolder });
}

/** Returns warnings about changed inputs, besides the project's `files`, which git shows. */
export function inputWarnings(changes: readonly InputChange[], files: readonly string[]): readonly string[] {
  const shown = new Set(files);
  return changes
    .filter((one) => !one.isInside || !shown.has(one.name) || isPlanted(one))
    .map(({ name, how, why }) => `${name} was ${how}: ${why}`);
}

/**
 * Returns the project's files that a program would run in place of its own, that scripts run if they exist, or that would be
 * started as programs.
 */
export function plantedFiles(changes: readonly InputChange[]): readonly string[] {
  return changes.filter((one) => one.isInside && isPlanted(one)).map(({ name }) => name);
}

/** By its name or its diff alone, git does not show that verification runs it. */
function isPlanted({ name, how, why }: InputChange): boolean {
  if (isProgram(why)) return whyDefining(name) === undefined;
  return how === "added" && (why === whys.module || why === whys.script);
}

/** Returns the manifests of new packages among these files that only describe them, in folders where no command runs. */
export function newPackages(workspace: Workspace, changed: ChangedManifests): Promise<ReadonlySet<string>> {
  return describingManifests(workspace, changed);
}

/** The facts about changed files besides their paths. */
interface Shown {
  /** Output of `git diff`. */
  readonly diff?: string;
  /** The files that verification runs by name. */
  readonly run?: readonly string[];
  /** Those of `newPackages`. */
  readonly described?: ReadonlySet<string>;
}

/**
 * Returns warnings about changes to files that define verification (LOOP-18): by name, scripts, CI, and configuration of
 * tests, types and lint; with a `diff`, also deleted, skipped or fewer tests, other expectations, comments
 * that silence checkers, and for a `package.json` or `pyproject.toml` only changes that touch more than what it describes. One of
 * the files that verification runs by name that is new, or that `diff` does not contain, causes no warning because no trusted
 * version of it existed.
 */
export function verificationFileWarnings(
  changedPaths: readonly string[],
  shown: Shown = {},
): readonly string[] {
  const changes = changesOf(shown);
  const { files } = changes;
  const warnings = changesIn(changedPaths, changes).map(({ path, why }) => `${path} was changed: ${why}`);
  const describeDeleted = describeDeletedIn(files);
  for (const [path, file] of files) {
    const isTest = mayBeTestFile(path);
    if (isTest && file.deleted) warnings.push(describeDeleted(path, file));
    else if (isTest || hasInlineTests(path))
      for (const one of warningsOfTests(path, isTest, file)) warnings.push(one);
  }
  return [...warnings, ...weakerChecks(files)];
}

function warningsOfTests(path: string, isTest: boolean, file: FileDiff): readonly string[] {
  const { deleted, becameLink, isOpaque } = file;
  const fewer = fewerTests(path, file);
  // Moved sources keep their tests as a rule, where a moved file of tests may not be found.
  if (deleted) return !isTest && fewer && /tests?\b/.test(fewer) ? [`${path} was deleted: ${fewer}`] : [];
  const whys = [
    ...(isTest && becameLink ? ["it is a link now"] : []),
    ...(isTest && isOpaque && countsTestsOf(path) ? ["it is too large to compare its tests"] : []),
    ...(skipsMore(path, file) ? ["tests are skipped in it"] : []),
    ...(fewer ? [fewer] : []),
    ...(isTest ? weakerTests(path, file) : []),
  ];
  return whys.map((why) => `${path} was changed: ${why}`);
}

/** Returns which of `changedPaths` define what verification runs; the arguments are those of `verificationFileWarnings`. */
export function changedDefinitions(changedPaths: readonly string[], shown: Shown = {}): readonly string[] {
  return changesIn(changedPaths, changesOf(shown)).map(({ path }) => path);
}

interface Changes extends Required<Omit<Shown, "diff">> {
  readonly files: ReadonlyMap<string, FileDiff>;
}

function changesOf({ diff = "", run = [], described = new Set() }: Shown): Changes {
  return { files: parseDiff(diff), run, described };
}

function changesIn(
  changedPaths: readonly string[],
  { files, run, described }: Changes,
): readonly { readonly path: string; readonly why: string }[] {
  return changedPaths.flatMap((path) => {
    const file = files.get(path);
    const isRun = run.includes(path) && file && !file.created;
    const why = isRun ? "verification runs it" : whyDefining(path);
    const isHarmless = onlyOtherKeys(path, file) || described.has(path);
    return why && !isHarmless ? [{ path, why }] : [];
  });
}

/** Returns true for files whose diff shows more than their names. */
export function isShownByDiff(path: string): boolean {
  const isOfTests =
    /test|spec|package\.json$|pyproject\.toml$/i.test(path) || isTestFile(path) || hasInlineTests(path);
  return isOfTests || showsWeakerChecks(path);
}

/**
 * Returns the changed paths that occur as a word in one of the commands (`node check.mjs`, `sh ./ci/test.sh`), except
 * tests: agents are expected to write and fix them.
 */
export function filesRunBy(
  commands: readonly string[],
  changedPaths: readonly string[],
  scripts: readonly string[] = [],
): readonly string[] {
  const words = new Set([
    ...scripts,
    ...commands.flatMap((command) => {
      const quoted = shellWords(command);
      const values = quoted.map((word) => word.slice(word.indexOf("=") + 1));
      // Also the words of texts between quotes: `sh -c "sh check.sh"`.
      const all = [...command.split(/[\s;&|()<>"'`=]+/), ...quoted, ...values];
      const names = all.map((word) => word.replace(/^\.\//, ""));
      // `verify: { in: … }` and people write `cd FOLDER && …`: the words are then relative to that folder.
      const folder = quoted[0] === "cd" ? quoted[1] : undefined;
      return folder === undefined ? names : [...names, ...names.map((name) => `${folder}/${name}`)];
    }),
  ]);
  return changedPaths.filter((path) => words.has(path) && !isTestFile(path));
}

/** Returns true for a change to a manifest that touches no script and no configuration, such as a new dependency. */
function onlyOtherKeys(path: string, file: FileDiff | undefined): boolean {
  if (file === undefined) return false;
  if (path.endsWith("package.json")) return leavesVerification(file);
  return /(?:^|\/)pyproject\.toml$/.test(path) && leavesPythonTools(file);
}
