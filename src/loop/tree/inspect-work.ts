import type { VerifyCommand } from "../../base/verify-command.ts";
import type { WorkDone } from "../../outcome/outcome.ts";
import {
  changedDefinitions,
  filesRunBy,
  verificationFileWarnings,
} from "../../outcome/verification-files.ts";
import { type Baseline, protectedPaths, type WorkSince, workSince } from "../../workspace/baseline.ts";
import { diffText } from "../../workspace/diff.ts";
import { status } from "../../workspace/status.ts";
import type { Loop } from "../loop.ts";

interface InspectedWork {
  readonly work: WorkDone;
  /** Changes to what defines verification (LOOP-18). */
  readonly guardWarnings: readonly string[];
  /** The changed files that define what verification runs. */
  readonly definitions: readonly string[];
}

interface InspectionStart {
  readonly baseline: Baseline;
  /** What was put back, as warnings. */
  readonly restored: readonly string[];
  /** The commands that verify the task. */
  readonly commands: readonly VerifyCommand[];
}

/** What the task changed so far, by git; with what a person should know of it. */
export async function inspectWork(
  loop: Loop,
  { baseline, restored, commands }: InspectionStart,
): Promise<InspectedWork> {
  const work = await workSince(loop.workspace, { baseline, startHead: baseline.head });
  const changes = { baseline, commands, files: work.files };
  const { guardWarnings, definitions } = await changesToVerification(loop, changes);
  const warnings = [
    ...restored,
    ...work.protectedEdits.map((path) => describeUserEdit(path, baseline.copies?.[path])),
    ...work.takenIn.map((path) => `${path}, an untracked file of yours, is in a commit that the agent made`),
    ...branchChange(baseline, work),
    ...work.leftAlone.map(
      (path) => `${path} is a repository of its own (or has an odd name) and is left alone`,
    ),
    ...guardWarnings,
  ];
  const done = {
    changedPaths: work.changedPaths,
    commits: work.commits,
    files: work.files,
    changed:
      work.changedPaths.length > 0 ||
      work.commits.length > 0 ||
      (!loop.options.commitEnabled && work.protectedEdits.length > 0),
    warnings,
    forbidden: forbiddenBy(work),
  };
  return { work: done, guardWarnings, definitions };
}

function describeUserEdit(path: string, copy: string | undefined): string {
  const told = `${path} was changed; it is yours, so it is not committed`;
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  return copy ? `${told} (to get it back: git cat-file blob ${copy.slice(0, 12)} > ${quoted})` : told;
}

interface ChangedFiles extends Pick<InspectionStart, "baseline" | "commands"> {
  readonly files: readonly string[];
}

/** By name; of what verification runs, of a manifest and of tests by what the diff says of them (LOOP-18). */
async function changesToVerification(
  loop: Loop,
  { baseline, commands, files }: ChangedFiles,
): Promise<Omit<InspectedWork, "work">> {
  const run = filesRunBy(
    commands.map((command) => command.run),
    files,
  );
  const telling = files.filter((path) => run.includes(path) || /test|spec|package\.json$/i.test(path));
  const from = baseline.head;
  const diff = from && telling.length > 0 ? await diffText(loop.workspace, { from, paths: telling }) : "";
  return {
    guardWarnings: verificationFileWarnings(files, { diff, run }),
    definitions: changedDefinitions(files, { diff, run }),
  };
}

/** Commits taken away may be another task's; what a person was at work on is theirs. */
function forbiddenBy({ dropped, dirtyEdits }: WorkSince): string | null {
  if (dropped.length > 0) {
    return `it took away commits that were there before (${dropped.join("; ")}); they are put back: only add commits`;
  }
  const [edited] = dirtyEdits;
  return edited ? `it changed ${edited}, which had uncommitted changes of yours when the run began` : null;
}

/** What follows is committed where HEAD is; a person who looks at the old branch would miss it. */
function branchChange(before: Baseline, now: WorkSince): readonly string[] {
  if (before.branch === now.branch) return [];
  const named = (branch: string | null): string =>
    branch === null ? "a detached HEAD" : branch.replace("refs/heads/", "");
  return [`the agent left ${named(before.branch)} for ${named(now.branch)}: what follows is committed there`];
}

/** A formatter in the verification may touch tracked files: they belong to the work, new files of its do not. */
export async function withVerifiedChanges(loop: Loop, baseline: Baseline, work: WorkDone): Promise<WorkDone> {
  const { tracked } = await status(loop.workspace);
  const known = new Set([...work.changedPaths, ...protectedPaths(baseline)]);
  const added = tracked.filter((path) => !known.has(path));
  if (added.length === 0) return work;
  return { ...work, changedPaths: [...work.changedPaths, ...added], files: [...work.files, ...added] };
}
