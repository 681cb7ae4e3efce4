import { nameSome, shellWord } from "../../base/text.ts";
import type { Baseline, WorkSince } from "../../workspace/baseline.ts";
import { branchName } from "../../workspace/git/read-head.ts";
import type { OverwrittenFile } from "../../workspace/protect-paths.ts";

export function submoduleWarnings({ inSubmodules }: WorkSince): readonly string[] {
  if (inSubmodules.length === 0) return [];
  const [was, them] = inSubmodules.length === 1 ? ["is", "it"] : ["are", "them"];
  return [
    `${nameSome(inSubmodules)} ${was} in a submodule and not committed: ralph's commit does not hold ${them}; commit ${them} there`,
  ];
}

/** An agent that empties `.gitignore` may uncover thousands of installed files. */
const maxNamed = 5;

/** Warns of the first few, and of how many there are: an agent can make any number, which would hide the warnings that follow. */
function warnOfFirst<T>(
  all: readonly T[],
  warning: (one: T) => string,
  ofOthers: (count: number) => string,
): readonly string[] {
  const more = all.length - maxNamed;
  return more > 1 ? [...all.slice(0, maxNamed).map(warning), ofOthers(more)] : all.map(warning);
}

export function oddNameWarnings({ leftAlone }: WorkSince): readonly string[] {
  return warnOfFirst(
    leftAlone.filter((path) => !path.endsWith("/")),
    (path) => `${path} has a name that is not UTF-8 and is left alone`,
    (count) => `${count} more odd names are left alone`,
  );
}

export function movedWarnings({ moved }: WorkSince): readonly string[] {
  const wereIgnored = [...moved].flatMap(([path, from]) => (path === from ? [path] : []));
  return [
    ...[...moved].flatMap(([path, from]) =>
      path === from ? [] : [`${path} holds your ${from}, so it is not committed`],
    ),
    ...warnOfFirst(
      wereIgnored,
      (path) => `${path}, which git ignored before, is yours, so it is not committed`,
      (count) => `${count} more files that git ignored before are not committed`,
    ),
  ];
}

export function describeUserEdit(path: string, copy: string | undefined): string {
  const warning = `${path} was changed; it is yours, so it is not committed`;
  return copy ? `${warning} (${howToRestore(path, copy)})` : warning;
}

function howToRestore(path: string, copy: string): string {
  return `to get it back: git cat-file blob ${copy.slice(0, 12)} > ${shellWord(path)}`;
}

/** Verification sees what an earlier attempt wrote into a person's file, and no commit holds it. */
export function overwrittenWarnings(
  overwritten: readonly OverwrittenFile[],
  { protectedEdits }: WorkSince,
): readonly string[] {
  return warnOfFirst(
    overwritten.filter(({ left }) => !protectedEdits.includes(left.path)),
    ({ left: { path }, copy }) =>
      `${path} is yours and still as an earlier attempt left it, which no commit holds (${howToRestore(path, copy)})`,
    (count) => `${count} more files of yours are as an earlier attempt left them`,
  );
}

interface Found {
  readonly baseline: Pick<Baseline, "branch">;
  readonly work: WorkSince;
  /** The new repositories in the project. */
  readonly nested: readonly string[];
  /** A file of code that holds a secret. */
  readonly secret: string | null;
}

/** Returns why the work may not pass. Removed commits may be another task's; uncommitted edits are a user's. */
export function forbiddenBy({ baseline, work, nested, secret }: Found): string | null {
  const { dropped, dirtyEdits, moved, movedOver, tooLarge } = work;
  const [large] = tooLarge;
  if (large)
    return `with ${large}, the changed files take more than 1 GB, which git cannot store in time: remove it, or let git ignore it`;
  if (work.branch !== baseline.branch) {
    const [left, to] = [branchName(baseline.branch), branchName(work.branch)];
    return `it left ${left} for ${to}, whose commits do not follow those of ${left}: stay on ${left} and add commits there`;
  }
  if (dropped.length > 0) {
    return `it removed existing commits (${dropped.join("; ")}); they were restored. Only add commits.`;
  }
  const [edited] = dirtyEdits;
  if (edited) return `it changed ${edited}, which had uncommitted changes of yours when the run began`;
  const [over] = movedOver;
  if (over) return `it moved your ${moved.get(over)}, which is not committed, to ${over}`;
  if (secret !== null)
    return `${secret} holds a secret, and verification would pass with a file that no commit holds: read the secret from the environment`;
  const [own] = nested;
  if (own === undefined) return null;
  const more = nested.length > 1 ? ` (as ${nameSome(nested.slice(1))})` : "";
  return `${own} is a git repository of its own${more}, and no commit of the project holds what is in there: remove ${own}/.git, or let git ignore ${own}/`;
}
