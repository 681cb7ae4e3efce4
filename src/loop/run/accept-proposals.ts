import { messageOf, RalphError } from "../../base/errors.ts";
import { record } from "../../events/event-store.ts";
import { openSkillDecisions } from "../../memory/skill-actions.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";
import { decideSkill } from "./decide-skill.ts";

/**
 * Accepts the proposals that wait, with `skills.autoAccept`: between two iterations, while the tree holds no task's work.
 * One that cannot be accepted keeps waiting for a person; `postponed` has the ids that this run has reported.
 */
export async function acceptProposals(
  loop: Pick<Loop, "clock" | "db" | "log" | "options" | "root" | "runId" | "workspace">,
  postponed: Set<string>,
): Promise<void> {
  const { clock, db, log, options, root, runId, workspace } = loop;
  if (!options.skills.autoAccept) return;
  const decisions = openSkillDecisions(db, { root, folders: options.skills }, () => clock.now());
  const waiting = (await decisions.pending()).filter(({ id }) => !postponed.has(id));
  if (waiting.length === 0 || (await readWorkspaceState(db)).kind !== "free") return;
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
