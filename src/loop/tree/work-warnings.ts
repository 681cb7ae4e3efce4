import { nameSome } from "../../base/text.ts";
import type { Baseline, WorkSince } from "../../workspace/baseline.ts";
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

export function leftAloneWarnings({ leftAlone }: WorkSince): readonly string[] {
  return warnOfFirst(
    leftAlone,
    (path) => `${path} is a repository of its own (or has an odd name) and is left alone`,
    (count) => `${count} more repositories (or odd names) are left alone`,
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
  return `to get it back: git cat-file blob ${copy.slice(0, 12)} > '${path.replaceAll("'", "'\\''")}'`;
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

/** Returns why the work may not pass. Removed commits may be another task's; uncommitted edits are a user's. */
export function forbiddenBy({ dropped, dirtyEdits, moved, movedOver, tooLarge }: WorkSince): string | null {
  const [large] = tooLarge;
  if (large)
    return `with ${large}, the changed files take more than 1 GB, which git cannot store in time: remove it, or let git ignore it`;
  if (dropped.length > 0) {
    return `it removed existing commits (${dropped.join("; ")}); they were restored. Only add commits.`;
  }
  const [edited] = dirtyEdits;
  if (edited) return `it changed ${edited}, which had uncommitted changes of yours when the run began`;
  const [over] = movedOver;
  return over ? `it moved your ${moved.get(over)}, which is not committed, to ${over}` : null;
}

/** Warns that later work is committed where HEAD is now: a user who looks at the old branch would miss it. */
export function branchChange(before: Baseline, now: WorkSince): readonly string[] {
  if (before.branch === now.branch) return [];
  const named = (branch: string | null): string =>
    branch === null ? "a detached HEAD" : branch.replace("refs/heads/", "");
  return [
    `the agent switched from ${named(before.branch)} to ${named(now.branch)}: later work is committed there`,
  ];
}
