import type { WorkDone } from "../../outcome/outcome.ts";
import {
  type Baseline,
  protectedPaths,
  type WorkSince,
  withoutMoved,
  workSince,
} from "../../workspace/baseline.ts";
import { changedSince } from "../../workspace/git/fingerprint.ts";
import { statusAhead } from "../../workspace/git/status.ts";
import { nestedRepositories, newRepository } from "../../workspace/nested-repositories.ts";
import type { Loop } from "../rows/loop.ts";
import { runById } from "../rows/run-store.ts";
import type { OwnedState } from "../rows/workspace-state.ts";
import { filledFolder, leftOutWarnings, notLeftOut, withoutLeftOut } from "./left-out.ts";
import {
  describeUserEdit,
  forbiddenBy,
  movedWarnings,
  oddNameWarnings,
  overwrittenWarnings,
  submoduleWarnings,
} from "./work-warnings.ts";

/** Returns the task's changes so far, by git, with warnings for the user. */
export async function inspectWork(
  loop: Pick<Loop, "byproducts" | "db" | "options" | "runId" | "workspace">,
  { baseline, overwritten }: Pick<OwnedState, "baseline" | "overwritten">,
  restored: readonly string[],
): Promise<WorkDone> {
  const all = await workSince(loop.workspace, { baseline, startHead: baseline.head });
  const own = withoutWritten(loop, all);
  const { work, out, secretCode } = await withoutLeftOut(loop.workspace, own, baseline.head);
  const isWork = (path: string): boolean => filledFolder(loop.workspace, path) === null;
  // Tools clone repositories into their folders, and rewrite what they left there.
  const nested = await nestedRepositories(loop.workspace, {
    since: baseline.head,
    paths: [...work.leftAlone.filter(isWork), ...work.files],
  });
  const edited = work.protectedEdits.filter(isWork);
  const warnings = [
    ...restored,
    ...work.opened.map((path) => `opened ${path}, which was closed to its owner`),
    ...edited.map((path) => describeUserEdit(path, baseline.copies?.[path])),
    ...overwrittenWarnings(
      (overwritten ?? []).filter(({ left: { path } }) => isWork(path) && !loop.byproducts.written.has(path)),
      work,
    ),
    ...movedWarnings(work),
    ...oddNameWarnings(work),
    ...submoduleWarnings(work),
    ...leftOutWarnings(newIn(out, baseline), work.files),
  ];
  const changed =
    work.changedPaths.length > 0 ||
    work.commits.length > 0 ||
    (!loop.options.commit.enabled && edited.length > 0);
  const forbidden = forbiddenBy({ baseline, work, nested, secret: secretCode });
  return {
    changedPaths: work.changedPaths,
    commits: work.commits,
    files: work.files,
    usersFiles: edited,
    ...(work.inSubmodules.length > 0 ? { inSubmodules: work.inSubmodules } : {}),
    ...(out.length > 0 ? { leftOut: out } : {}),
    changed,
    warnings,
    forbidden: forbidden ?? (changed ? null : await onlyRepository(loop)),
  };
}

/** Returns the work without the untracked files that verification wrote, which are neither the agent's nor certainly a person's. */
function withoutWritten({ byproducts: { written } }: Pick<Loop, "byproducts">, work: WorkSince): WorkSince {
  if (written.size === 0) return work;
  const inCommits = new Set(work.committedPaths);
  const isOther = (path: string): boolean => !written.has(path);
  return {
    ...work,
    changedPaths: work.changedPaths.filter(isOther),
    files: work.files.filter((path) => isOther(path) || inCommits.has(path)),
    protectedEdits: work.protectedEdits.filter(isOther),
  };
}

/** Names the repository that was made of a folder of the project in this run. */
async function onlyRepository({
  db,
  runId,
  workspace,
}: Pick<Loop, "db" | "runId" | "workspace">): Promise<string | null> {
  const run = await runById(db, runId);
  const created = run ? await newRepository(workspace, Date.parse(run.startedAt)) : null;
  if (created === null) return null;
  return `nothing in the project has changed, but ${created} became a git repository of its own: remove ${created}/.git`;
}

/** Returns the lines without the folders in which a person had files already: those were named before. */
function newIn(out: readonly string[], baseline: Baseline): readonly string[] {
  const mine = protectedPaths(baseline);
  return out.filter((line) => !line.endsWith("/") || !mine.some((path) => path.startsWith(line)));
}

interface VerifiedWork {
  readonly verified: WorkDone;
  /** The new files that verification made, which are not part of the work and were nobody's before. */
  readonly byproducts: readonly string[];
}

/** Adds tracked files that verification changed (a formatter, say) to the work. Its new files are not part of it, and named once a run. */
export async function withVerifiedChanges(
  { workspace, byproducts: { written } }: Pick<Loop, "byproducts" | "workspace">,
  baseline: Baseline,
  work: WorkDone,
): Promise<VerifiedWork> {
  const { tracked, untracked } = await statusAhead(workspace);
  const changeable = new Set(baseline.finished?.paths);
  const rewritten = new Set(await changedSince(workspace.root, baseline.dirty));
  const mine = protectedPaths(baseline).filter((path) => !changeable.has(path) || !rewritten.has(path));
  const known = new Set([...work.changedPaths, ...mine]);
  const isNew = (path: string): boolean => !known.has(path);
  const created = notLeftOut(untracked.filter(isNew), work.leftOut ?? []);
  const added = tracked.filter(isNew);
  // Tests are the agent's code: they may have moved a person's file, or have uncovered an ignored one.
  const found = await withoutMoved(workspace, baseline, created);
  const byproducts = found.filter((path) => !written.has(path));
  const edited = await changedSince(workspace.root, baseline.untracked);
  for (const path of [...found, ...edited.filter((one) => !work.usersFiles.includes(one))]) written.add(path);
  if (added.length === 0) return { verified: work, byproducts };
  const changed = { changedPaths: [...work.changedPaths, ...added], files: [...work.files, ...added] };
  return { verified: { ...work, ...changed }, byproducts };
}
