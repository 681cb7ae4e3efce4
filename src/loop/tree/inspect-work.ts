import type { WorkDone } from "../../outcome/outcome.ts";
import { type Baseline, protectedPaths, withoutMoved, workSince } from "../../workspace/baseline.ts";
import { statusAhead } from "../../workspace/git/status.ts";
import { nestedRepositories } from "../../workspace/nested-repositories.ts";
import type { Loop } from "../rows/loop.ts";
import type { OwnedState } from "../rows/workspace-state.ts";
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
  loop: Pick<Loop, "options" | "workspace">,
  { baseline, overwritten }: Pick<OwnedState, "baseline" | "overwritten">,
  restored: readonly string[],
): Promise<WorkDone> {
  const work = await workSince(loop.workspace, { baseline, startHead: baseline.head });
  const nested = await nestedRepositories(loop.workspace, {
    since: baseline.head,
    paths: [...work.leftAlone, ...work.files],
  });
  const warnings = [
    ...restored,
    ...work.opened.map((path) => `opened ${path}, which was closed to its owner`),
    ...work.protectedEdits.map((path) => describeUserEdit(path, baseline.copies?.[path])),
    ...overwrittenWarnings(overwritten, work),
    ...movedWarnings(work),
    ...oddNameWarnings(work),
    ...submoduleWarnings(work),
  ];
  return {
    changedPaths: work.changedPaths,
    commits: work.commits,
    files: work.files,
    usersFiles: work.protectedEdits,
    ...(work.inSubmodules.length > 0 ? { inSubmodules: work.inSubmodules } : {}),
    changed:
      work.changedPaths.length > 0 ||
      work.commits.length > 0 ||
      (!loop.options.commit.enabled && work.protectedEdits.length > 0),
    warnings,
    forbidden: forbiddenBy({ baseline, work, nested }),
  };
}

interface VerifiedWork {
  readonly verified: WorkDone;
  /** The new files that verification made, which are not part of the work and were nobody's before. */
  readonly byproducts: readonly string[];
}

/** Adds tracked files that verification changed (a formatter, say) to the work. Its new files are not part of it. */
export async function withVerifiedChanges(
  { workspace }: Pick<Loop, "workspace">,
  baseline: Baseline,
  work: WorkDone,
): Promise<VerifiedWork> {
  const { tracked, untracked } = await statusAhead(workspace);
  const known = new Set([...work.changedPaths, ...protectedPaths(baseline)]);
  const isNew = (path: string): boolean => !known.has(path);
  const added = tracked.filter(isNew);
  // Tests are the agent's code: they may have moved a person's file, or have uncovered an ignored one.
  const byproducts = await withoutMoved(workspace, baseline, untracked.filter(isNew));
  if (added.length === 0) return { verified: work, byproducts };
  const changed = { changedPaths: [...work.changedPaths, ...added], files: [...work.files, ...added] };
  return { verified: { ...work, ...changed }, byproducts };
}
