import type { Reader } from "../../store/port/db.ts";
import type { MaintenanceRequest, MaintenanceStep } from "../port/memory-kind.ts";
import { figuresOf, harmIn } from "./measure-skills.ts";
import type { Skill } from "./store/skill.ts";
import { addProposal, listProposals, listSkills, type NewProposal } from "./store/skill-store.ts";
import { listSkillUses } from "./store/skill-use-store.ts";

/** Proposes to retire accepted skills that do harm (SKILL-5). */
export const retirementStep: MaintenanceStep = {
  step: "retire",
  run: async ({ db, runId, now, pacer }: MaintenanceRequest) => {
    for (const skill of await listSkills(db, "active")) {
      await pacer?.pause();
      const proposal = await retirementOf(db, skill);
      if (proposal) await db.transaction((tx) => addProposal(tx, proposal, { runId, now }));
    }
  },
};

/** Returns the proposal to retire a skill with which fewer attempts pass; undefined: nothing shows that, or one waits. */
async function retirementOf(q: Reader, skill: Skill): Promise<NewProposal | undefined> {
  const earlier = (await listProposals(q, { name: skill.name })).filter(({ kind }) => kind === "retire");
  if (earlier.some(({ status }) => status === "pending")) return undefined;
  // What was measured of an earlier text, or what a person judged already, does not count again.
  const since = [skill.updatedAt, ...earlier.map(({ decidedAt }) => decidedAt ?? "")].toSorted().at(-1) ?? "";
  const uses = (await listSkillUses(q, skill.name)).filter(({ createdAt }) => createdAt > since);
  const harm = harmIn(uses);
  if (harm === null) return undefined;
  const { name, category, description, body, tags, files, source, evidenceHash } = skill;
  const content = { name, category, description, body, tags, files, source, evidenceHash };
  return { ...content, kind: "retire", reason: figuresOf(harm) };
}
