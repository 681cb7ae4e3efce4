import { newId } from "../../../base/ids.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { record } from "../../../events/event-store.ts";
import type { Reader, SqlValue, Tx } from "../../../store/port/db.ts";
import { insertRow } from "../../../store/port/rows.ts";
import type { ProposalStatus, Skill, SkillProposal, SkillStatus, SkillTopic } from "./skill.ts";
import {
  type ProposalRow,
  proposalOf,
  proposalToRow,
  type SkillRow,
  skillOf,
  skillToRow,
  type TopicRow,
  topicOf,
  topicToRow,
} from "./skill-row.ts";

/** The run that a write belongs to, null for a command, and its time. */
export interface SkillOccasion {
  readonly runId: string | null;
  readonly now: Date;
}

/** A change of a skill; the event's type is `skill.<change>`. */
export type SkillChange = "accepted" | "changed" | "retired" | "restored";

/** A proposal to insert: its id, status and times are assigned. */
export type NewProposal = Omit<SkillProposal, "id" | "status" | "runId" | "createdAt" | "decidedAt">;

/** Inserts or replaces an accepted skill. */
export async function putSkill(
  tx: Tx,
  skill: Skill,
  change: SkillChange,
  { runId, now }: SkillOccasion,
): Promise<void> {
  await insertRow(tx, "skills", skillToRow(skill), ["name"]);
  await record(tx, { type: `skill.${change}`, runId, data: { skill: skill.name } }, now);
}

/** Inserts a pending proposal; pending ones of the same name become `superseded`. */
export async function addProposal(
  tx: Tx,
  fields: NewProposal,
  { runId, now }: SkillOccasion,
): Promise<SkillProposal> {
  for (const older of await listProposals(tx, { name: fields.name, status: "pending" }))
    await decideProposal(tx, older, "superseded", { runId, now });
  const proposal: SkillProposal = {
    ...fields,
    id: await freeId(tx),
    status: "pending",
    runId,
    createdAt: now.toISOString(),
    decidedAt: null,
  };
  await insertRow(tx, "skill_proposals", proposalToRow(proposal), ["id"]);
  const data = { id: proposal.id, skill: proposal.name, kind: proposal.kind };
  await record(tx, { type: "skill.proposed", runId, data }, now);
  return proposal;
}

/** Sets the status of a proposal and its time, in one `skill.decided` event. Returns the proposal. */
export async function decideProposal(
  tx: Tx,
  proposal: SkillProposal,
  status: Exclude<ProposalStatus, "pending">,
  { runId, now }: SkillOccasion,
): Promise<SkillProposal> {
  const decided = { ...proposal, status, decidedAt: now.toISOString() };
  await insertRow(tx, "skill_proposals", proposalToRow(decided), ["id"]);
  const data = { id: proposal.id, skill: proposal.name, status };
  await record(tx, { type: "skill.decided", runId, data }, now);
  return decided;
}

/** Inserts or replaces aggregated topics, and deletes those without evidence. */
export async function putTopics(
  tx: Tx,
  topics: readonly SkillTopic[],
  gone: readonly string[],
): Promise<void> {
  for (const topic of topics) await insertRow(tx, "skill_topics", topicToRow(topic), ["category"]);
  for (const category of gone) await tx.run("DELETE FROM skill_topics WHERE category = ?", [category]);
}

/** Permanently deletes proposals. */
export async function eraseProposals(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) await tx.run("DELETE FROM skill_proposals WHERE id = ?", [id]);
}

export async function getSkill(q: Reader, name: string): Promise<Skill | undefined> {
  const row = await q.get<SkillRow>("SELECT * FROM skills WHERE name = ?", [name]);
  return row && skillOf(row);
}

/** Returns the accepted skills, ordered by name. */
export async function listSkills(q: Reader, status?: SkillStatus): Promise<readonly Skill[]> {
  const rows = await q.all<SkillRow>(
    `SELECT * FROM skills${status === undefined ? "" : " WHERE status = ?"} ORDER BY name`,
    status === undefined ? [] : [status],
  );
  return rows.map(skillOf);
}

export async function getProposal(q: Reader, id: string): Promise<SkillProposal | undefined> {
  const row = await q.get<ProposalRow>("SELECT * FROM skill_proposals WHERE id = ?", [id]);
  return row && proposalOf(row);
}

export interface ProposalFilter {
  readonly name?: string;
  readonly status?: ProposalStatus;
  readonly runId?: string;
}

/** Returns proposals, oldest first. */
export async function listProposals(
  q: Reader,
  { name, status, runId }: ProposalFilter = {},
): Promise<readonly SkillProposal[]> {
  const parts: string[] = [];
  const params: SqlValue[] = [];
  for (const [column, value] of [
    ["name", name],
    ["status", status],
    ["run_id", runId],
  ] as const)
    if (value !== undefined) {
      parts.push(`${column} = ?`);
      params.push(value);
    }
  const where = parts.length > 0 ? ` WHERE ${parts.join(" AND ")}` : "";
  const rows = await q.all<ProposalRow>(
    `SELECT * FROM skill_proposals${where} ORDER BY created_at, CASE status WHEN 'pending' THEN 1 ELSE 0 END, decided_at, id`,
    params,
  );
  return rows.map(proposalOf);
}

/** The name of the row of all topics together, with the time of their aggregation. */
export const allTopics: SafeText = safe``;

/** Returns the aggregated topics, ordered by name. */
export async function listTopics(q: Reader): Promise<readonly SkillTopic[]> {
  const rows = await q.all<TopicRow>("SELECT * FROM skill_topics WHERE category <> ? ORDER BY category", [
    allTopics,
  ]);
  return rows.map(topicOf);
}

async function freeId(tx: Reader): Promise<string> {
  for (let bytes = 3; ; bytes += 1) {
    const id = newId("sp", bytes);
    if (!(await getProposal(tx, id))) return id;
  }
}
