import { messageOf, RalphError } from "../../base/errors.ts";
import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { wrapLine } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import { openSkillDecisions, type SkillDecision, type SkillView } from "../../memory/skill-actions.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { commitPaths } from "../../workspace/commit.ts";
import { status } from "../../workspace/git/status.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { commit, type Loop, type LoopSetup } from "../rows/loop.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";

export interface Decider extends Pick<LoopSetup, "clock" | "db" | "log"> {
  /** The run that decides; null: a person. */
  readonly runId: string | null;
  /** Null: the project is not in git, or commits are off. */
  readonly workspace: Workspace | null;
}

/** A decision on a skill that was carried out. */
export interface DecidedSkill {
  readonly skill: SkillView;
  readonly kind: SkillDecision["kind"];
  /** The skill's files that changed, relative to the project. */
  readonly changed: readonly string[];
  /** The commit of exactly its files; null: there is none. */
  readonly commit: string | null;
  /** Its files that git ignores, or all of them without a commit. */
  readonly uncommitted: readonly string[];
}

/**
 * Carries out one decision: writes the skill's files, commits exactly these, then records it. After a kill the same
 * decision continues where it ended. If git does not commit, the files are restored.
 *
 * @throws RalphError `RALPH_GIT_DIRTY` when a person has uncommitted changes in a file to change; those of `commitPaths`
 */
export async function decideSkill(decider: Decider, decision: SkillDecision): Promise<DecidedSkill> {
  const { workspace, clock, runId } = decider;
  if (workspace) await refuseDirty(workspace, decision);
  const changed = await decision.write();
  const landed = workspace ? await commitFiles(workspace, decision) : null;
  const skill = await commit(decider, async (tx) => {
    const now = clock.now();
    const decided = await decision.record(tx, { runId, now });
    if (landed?.hash) {
      const data = { skill: decided.name, kind: decision.kind, hash: landed.hash, files: [...landed.paths] };
      await record(tx, { type: "skill.committed", runId, data }, now);
    }
    return decided;
  });
  const committed = new Set(landed?.paths);
  const uncommitted = changed.filter((path) => !committed.has(path));
  return { skill, kind: decision.kind, changed, commit: landed?.hash ?? null, uncommitted };
}

async function refuseDirty(workspace: Workspace, { files }: SkillDecision): Promise<void> {
  const { tracked, untracked } = await status(workspace);
  const dirty = new Set([...tracked, ...untracked]);
  const edited = files.filter(({ path, before, after }) => {
    return before !== after && before !== null && dirty.has(path);
  });
  const [first] = edited;
  if (!first) return;
  throw new RalphError("RALPH_GIT_DIRTY", `${first.path} has uncommitted changes`, {
    hint: "commit or stash them first: a skill gets a commit of its own",
  });
}

/** Commits what git does not ignore of the files. */
async function commitFiles(
  workspace: Workspace,
  decision: SkillDecision,
): Promise<{ readonly hash: string | null; readonly paths: readonly string[] }> {
  const { tracked, untracked } = await status(workspace);
  const differing = new Set([...tracked, ...untracked]);
  const paths = decision.files.map(({ path }) => path).filter((path) => differing.has(path));
  if (paths.length === 0) return { hash: null, paths };
  try {
    const { hash, created } = await commitPaths(workspace, { paths, message: commitMessageOf(decision) });
    return { hash: created ? hash : null, paths };
  } catch (error) {
    await decision.undo();
    // Removes what was staged from the index: nothing differs from HEAD any longer.
    await commitPaths(workspace, { paths, message: commitMessageOf(decision), hooks: false }).catch(
      () => undefined,
    );
    throw error;
  }
}

const verbs = { accept: "Add", change: "Update", retire: "Retire", restore: "Restore" } as const;

/** Returns a message whose trailer names the skill. */
function commitMessageOf({ kind, name, reason }: SkillDecision): SafeText {
  const parts = [
    safe`${verbs[kind]} skill ${name}`,
    joinSafe(wrapLine(safeLine(reason, 300), 72), "\n"),
    safe`Ralph-Skill: ${name}`,
  ];
  return safe`${joinSafe(parts, "\n\n")}\n`;
}

/**
 * Accepts the proposals that wait, with `skills.autoAccept`: between two iterations, while the tree holds no task's work.
 * One that cannot be accepted keeps waiting for a person; `postponed` has the ids that this run has reported.
 */
export async function acceptProposals(
  loop: Pick<Loop, "clock" | "db" | "log" | "memory" | "options" | "projectRoot" | "runId" | "workspace">,
  postponed: Set<string>,
): Promise<void> {
  const { clock, db, log, memory, options, projectRoot: root, runId, workspace } = loop;
  if (!options.skills.autoAccept) return;
  // Proposes the skills of the last attempt before the next task is chosen.
  await memory.finishCapture();
  const decisions = openSkillDecisions(db, { root, folders: options.skills }, () => clock.now());
  const waiting = (await decisions.pending()).filter(({ id }) => !postponed.has(id));
  if (waiting.length === 0 || (await readWorkspaceState(db, workspace)).kind !== "free") return;
  const decider = { clock, db, log, workspace, runId };
  for (const { id, name } of waiting) {
    try {
      if (!options.commit.enabled) throw needsCommits;
      await decideSkill(decider, await decisions.planAccept(id));
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      postponed.add(id);
      const data = { id, skill: name, error: messageOf(error), hint: error.hint ?? null };
      await commit(loop, (tx) => record(tx, { type: "skill.postponed", runId, data }, clock.now()));
    }
  }
}

const needsCommits = new RalphError(
  "RALPH_SKILL_STATUS",
  "skills.autoAccept needs commits: without them a skill's files would join the next task's changes",
  { hint: "remove `commit.enabled: false`, or run `ralph skills accept` between runs" },
);
