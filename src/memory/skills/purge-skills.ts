import { safe } from "../../base/safe-text.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { counted, type KindPurge } from "../port/kind-commands.ts";
import { aggregateTopics, filesOf } from "./learn/aggregate-topics.ts";
import { proposalsFor } from "./learn/propose-skills.ts";
import { removeTopicFiles, writeTopicFiles } from "./learn/write-topic-files.ts";
import { contentOf, type Skill, type SkillContent, type SkillProposal } from "./store/skill.ts";
import {
  addProposal,
  eraseProposals,
  listProposals,
  listSkills,
  listTopics,
  type NewProposal,
  putTopics,
  type SkillOccasion,
} from "./store/skill-store.ts";

/** Deletes what was derived from purged records: patterns and proposals. An accepted skill is proposed to be changed. */
export const skillPurge: KindPurge = {
  label: "skill proposal",
  toJson: ({ count }) => ({ skillProposals: count }),
  plan: async (q, { runId }) => counted(runId === null ? 0 : (await derivedProposals(q, runId)).length),
  // A topic's file may have text of any record; those whose evidence stays are written again.
  removeFiles: async (q, { root, recordsDir }) => {
    const topics = await listTopics(q);
    await removeTopicFiles(
      { root, dir: recordsDir },
      topics.map(({ slug }) => slug),
    );
  },
  writeFiles: async (q, { root, recordsDir }) => {
    const folder = { root, dir: recordsDir };
    const { aggregated } = await aggregateTopics(q, { folder, all: false, now: new Date(0) });
    await writeTopicFiles(folder, filesOf(aggregated), []);
  },
  erase: async (tx, _, occasion) => counted(await purgeDerived(tx, occasion)),
};

/** Deletes derived proposals and aggregates again. The records and learnings are deleted already. */
async function purgeDerived(tx: Tx, occasion: SkillOccasion): Promise<number> {
  const { runId, now } = occasion;
  const proposals = await derivedProposals(tx, runId);
  const skills = await derivedSkills(tx, runId);
  await eraseProposals(
    tx,
    proposals.map(({ id }) => id),
  );
  const { aggregated, changed, gone, total } = await aggregateTopics(tx, { folder: null, all: true, now });
  await putTopics(
    tx,
    [...changed, total],
    gone.map(({ category }) => category),
  );
  const names = new Set<string>([...proposals, ...skills].map(({ name }) => name));
  const drafts = await proposalsFor(tx, aggregated, { forced: true, rewrite: null });
  // No run proposed these: a purge of a run deletes its proposals.
  const by = { runId: null, now };
  for (const draft of drafts) if (names.has(draft.name)) await addProposal(tx, draft, by);
  const kept = new Set<string>(drafts.map(({ name }) => name));
  for (const skill of skills) if (!kept.has(skill.name)) await addProposal(tx, retirement(skill), by);
  return proposals.length;
}

function retirement(skill: Skill): NewProposal {
  return { ...contentOf(skill), kind: "retire", reason: safe`its evidence was purged` };
}

async function derivedProposals(q: Reader, runId: string | null): Promise<readonly SkillProposal[]> {
  const proposals = await listProposals(q);
  const isDerived = await derivation(q, runId, proposals);
  return proposals.filter((one) => isDerived(one) || (runId !== null && one.runId === runId));
}

async function derivedSkills(q: Reader, runId: string | null): Promise<readonly Skill[]> {
  const skills = await listSkills(q, "active");
  return skills.filter(await derivation(q, runId, skills));
}

/** Returns a check whether content has evidence of the run, or of a learning that no longer exists. */
async function derivation(
  q: Reader,
  runId: string | null,
  all: readonly SkillContent[],
): Promise<(content: SkillContent) => boolean> {
  const ids = [...new Set(all.flatMap(({ source }) => source.learningIds))];
  const { sql, params } = q.dialect.inList("id", ids);
  const rows = await q.all<{ id: string }>(`SELECT id FROM learnings WHERE ${sql}`, params);
  const existing = new Set(rows.map(({ id }) => id));
  return ({ source }) =>
    (runId !== null && source.runIds.includes(runId)) || source.learningIds.some((id) => !existing.has(id));
}
