import type { SkillDecision } from "../memory/skill-actions.ts";
import { takeBaseline } from "../workspace/baseline.ts";
import type { LoopSetup } from "./rows/loop.ts";
import { holdProject, releaseProject } from "./run/begin-run.ts";
import { type DecidedSkill, type Decider, decideSkill } from "./run/decide-skill.ts";

/**
 * Carries out a person's decisions while no run works on the tree, because its agent would be judged by these files. Each
 * gets a commit of its own.
 *
 * @throws RalphError `RALPH_RUN_ACTIVE`, `RALPH_GIT_BUSY`, and those of `decideSkill`
 */
export async function decideSkills(
  decider: Decider & Pick<LoopSetup, "owner"> & { readonly holdId: string },
  plans: readonly (() => Promise<SkillDecision>)[],
  onDecided: (decided: DecidedSkill) => void,
): Promise<void> {
  const holder = { ...decider, runId: decider.holdId };
  const none = { model: null, session: null, branch: null };
  await holdProject(holder, { ...none, agent: "none", strategy: "none" });
  try {
    // Refuses during a merge, which a commit would end.
    if (decider.workspace) await takeBaseline(decider.workspace, { mayBeDirty: "all" });
    for (const plan of plans) onDecided(await decideSkill(decider, await plan()));
  } finally {
    await releaseProject(holder, "skills");
  }
}
