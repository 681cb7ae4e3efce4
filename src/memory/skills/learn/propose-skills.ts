import type { SafeText } from "../../../base/safe-text.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { Reader } from "../../../store/port/db.ts";
import type { Skill, SkillProposal } from "../store/skill.ts";
import { getSkill, listProposals, listSkills, type NewProposal } from "../store/skill-store.ts";
import type { AggregatedTopic } from "./aggregate-topics.ts";
import { clusterPatterns } from "./cluster-patterns.ts";
import { draftSkill, type SkillDraft, skillContent, templateText } from "./draft-skill.ts";
import type { Rewrite } from "./rewrite-draft.ts";
import { statementsOf } from "./skill-lines.ts";

/** The skill of one name and what was proposed for it before. */
interface Before {
  readonly skill: Skill | undefined;
  /** Oldest first. */
  readonly proposals: readonly SkillProposal[];
}

export interface ProposalRequest {
  /** Also proposes what only has other counts and dates, and what a person retired. */
  readonly forced: boolean;
  /** Rewrites a draft in better words; null: the template's words stand. */
  readonly rewrite: Rewrite | null;
}

/** Returns the proposals for the skills of topics (SKILL-2). Only reads. */
export async function proposalsFor(
  q: Reader,
  topics: readonly AggregatedTopic[],
  { forced, rewrite }: ProposalRequest,
): Promise<readonly NewProposal[]> {
  const proposals: NewProposal[] = [];
  const names = await namesOfTopics(q);
  for (const topic of topics) {
    const fresh = draftSkill(topic);
    if (!fresh) continue;
    const draft = { ...fresh, name: names.get(topic.topic.category) ?? fresh.name };
    const before = await readBefore(q, draft.name);
    const plan = decided(draft, before) ? undefined : proposalOf(draft, before, forced);
    if (!plan) continue;
    const text = rewrite === null ? undefined : await rewrite(draft);
    proposals.push(text ? { ...plan, ...skillContent(draft, text) } : plan);
  }
  return proposals;
}

/** Returns the name of each topic's skill: it has a number where a person's skill had the topic's name. */
async function namesOfTopics(q: Reader): Promise<ReadonlyMap<string, SafeText>> {
  const skills = await listSkills(q);
  const ordered = skills.toSorted((a, b) => Number(a.status === "active") - Number(b.status === "active"));
  return new Map(ordered.map(({ category, name }) => [category, name]));
}

/** Checks whether the same was proposed or decided meanwhile. */
export async function isStillNew(q: Reader, { name, evidenceHash }: NewProposal): Promise<boolean> {
  const { skill, proposals } = await readBefore(q, name);
  return !isDecided(evidenceHash, { skill, proposals });
}

async function readBefore(q: Reader, name: string): Promise<Before> {
  return { skill: await getSkill(q, name), proposals: await listProposals(q, { name }) };
}

function decided({ topic }: SkillDraft, before: Before): boolean {
  return isDecided(topic.evidenceHash, before);
}

/** Checks whether this evidence is in the skill, waits for a decision or was rejected, or whether the skill is to be retired. */
function isDecided(hash: string, { skill, proposals }: Before): boolean {
  if (skill?.status === "active" && skill.evidenceHash === hash) return true;
  return proposals.some(({ status, kind, evidenceHash }) => {
    if (status === "pending" && kind === "retire") return true;
    return (status === "pending" || status === "rejected") && evidenceHash === hash;
  });
}

function proposalOf(draft: SkillDraft, before: Before, forced: boolean): NewProposal | undefined {
  const { skill, proposals } = before;
  const content = skillContent(draft, templateText(draft));
  const last = proposals.findLast(({ status, kind }) => kind !== "retire" && status !== "superseded");
  const active = skill?.status === "active" ? skill : undefined;
  const pending = last?.status === "pending" ? last : undefined;
  if ([active?.body, pending?.body].includes(content.body)) return undefined;
  const added = active ? newStatements(active.body, content.body) : null;
  if (!forced) {
    if (skill?.status === "retired" || added === 0) return undefined;
    if (last?.status === "rejected" && newStatements(last.body, content.body) === 0) return undefined;
  }
  return { ...content, kind: active ? "change" : "create", reason: reasonOf(draft, added) };
}

/** Counts the statements of a body that no statement of the other one is the same lesson as. */
function newStatements(before: string, after: string): number {
  const known = statementsOf(before);
  const all = [
    ...known.map((text, at) => ({ id: `known ${at}`, text })),
    ...statementsOf(after).map((text, at) => ({ id: String(at), text })),
  ];
  const clusters = clusterPatterns(all);
  return clusters.filter(({ members }) => members.every((id) => !id.startsWith("known"))).length;
}

function reasonOf({ patterns, antiPatterns }: SkillDraft, added: number | null): SafeText {
  const tasks = new Set(patterns.flatMap(({ taskIds }) => taskIds)).size;
  const all = safe`${count(patterns.length, "pattern")} and ${count(antiPatterns.length, "anti-pattern")} from ${count(tasks, "task")}`;
  if (added === null) return all;
  return added === 0 ? safe`${all}: other counts` : safe`${all}: ${added} new`;
}
