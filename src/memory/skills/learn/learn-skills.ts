import type { Db } from "../../../store/port/db.ts";
import type { SkillProposal } from "../store/skill.ts";
import { addProposal, getProposal, listProposals, listTopics, putTopics } from "../store/skill-store.ts";
import { aggregateTopics, filesOf } from "./aggregate-topics.ts";
import { draftSkill, skillContent } from "./draft-skill.ts";
import { isStillNew, proposalsFor } from "./propose-skills.ts";
import type { Rewrite } from "./rewrite-draft.ts";
import { type RecordFolder, writeTopicFiles } from "./write-topic-files.ts";

export interface LearnRequest {
  readonly db: Db;
  /** Null: no file is written. */
  readonly folder: RecordFolder | null;
  /** The run that asks; null: a command. */
  readonly runId: string | null;
  readonly now: Date;
  /** Aggregates all topics, and also proposes what only has other counts and what a person retired. */
  readonly forced: boolean;
  readonly rewrite: Rewrite | null;
}

/** The result of an aggregation and what it proposed. */
export interface Learned {
  /** The numbers of topics, of their patterns, and of entries of records. */
  readonly topics: number;
  readonly patterns: number;
  readonly entries: number;
  /** The number of topics whose evidence changed, and of files that changed. */
  readonly changed: number;
  readonly written: number;
  readonly proposals: readonly SkillProposal[];
}

/**
 * Aggregates the evidence of topics (SKILL-1) and proposes the skills that it is worth (SKILL-2). What is interrupted is
 * repeated by the next call: files come first, then the topics with their proposals in one transaction.
 */
export async function learnSkills(request: LearnRequest): Promise<Learned> {
  const { db, folder, runId, now, forced, rewrite } = request;
  const aggregation = await aggregateTopics(db, { folder, all: forced, now });
  const { aggregated, changed, gone, total, topics, patterns, entries } = aggregation;
  const written = folder ? await writeTopicFiles(folder, filesOf(aggregated), slugsOf(gone)) : 0;
  const drafts = await proposalsFor(db, aggregated, { forced, rewrite });
  const proposals: SkillProposal[] = [];
  await db.transaction(async (tx) => {
    // Another process may have aggregated meanwhile.
    const slugs = new Map((await listTopics(tx)).map(({ category, slug }) => [slug, category]));
    const own = changed.filter(({ slug, category }) => (slugs.get(slug) ?? category) === category);
    await putTopics(
      tx,
      own.length === changed.length ? [...own, total] : own,
      gone.map(({ category }) => category),
    );
    for (const draft of drafts)
      if (await isStillNew(tx, draft)) proposals.push(await addProposal(tx, draft, { runId, now }));
  });
  return { topics, patterns, entries, changed: changed.length, written, proposals };
}

/** Rewrites pending proposals of these ids in a model's words, for the same evidence. Those without an answer stay. */
export async function rewriteProposals(
  { db, runId, now }: Pick<LearnRequest, "db" | "runId" | "now">,
  ids: readonly string[],
  rewrite: Rewrite,
): Promise<void> {
  const pending = (await listProposals(db, { status: "pending" })).filter(({ id }) => ids.includes(id));
  if (pending.length === 0) return;
  const { aggregated } = await aggregateTopics(db, { folder: null, all: true, now });
  for (const proposal of pending) {
    const { category, evidenceHash, kind, reason } = proposal;
    const found = aggregated.find(({ topic }) => topic.category === category);
    const draft = found?.topic.evidenceHash === evidenceHash ? draftSkill(found) : undefined;
    const text = draft && (await rewrite(draft));
    if (!draft || !text) continue;
    await db.transaction(async (tx) => {
      // A person may have decided meanwhile.
      if ((await getProposal(tx, proposal.id))?.status !== "pending") return;
      await addProposal(tx, { ...skillContent(draft, text), kind, reason }, { runId, now });
    });
  }
}

function slugsOf(topics: readonly { readonly slug: string }[]): readonly string[] {
  return topics.map(({ slug }) => slug);
}
