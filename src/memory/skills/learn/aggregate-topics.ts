import { safe } from "../../../base/safe-text.ts";
import type { Reader } from "../../../store/port/db.ts";
import { readEvidence } from "../../port/skill-evidence.ts";
import type { SkillTopic } from "../store/skill.ts";
import { allTopics, listTopics } from "../store/skill-store.ts";
import { aggregateTopic, type CategoryAggregate, groupByTopic } from "./aggregate-evidence.ts";
import { renderTopicFile } from "./render-topic-file.ts";
import { topicSlug } from "./topic-key.ts";
import { missingFiles, type RecordFolder, type TopicFile } from "./write-topic-files.ts";

/** One topic's aggregate and its row. */
export interface AggregatedTopic {
  readonly aggregate: CategoryAggregate;
  readonly topic: SkillTopic;
}

/** The result of an aggregation; nothing is written yet. */
export interface Aggregation {
  /** The topics whose evidence changed or whose file is missing, or all of them. */
  readonly aggregated: readonly AggregatedTopic[];
  /** Those of them that have another row than before. */
  readonly changed: readonly SkillTopic[];
  /** Known topics that have no evidence any more. */
  readonly gone: readonly SkillTopic[];
  /** The number of topics, of their patterns and of their entries. */
  readonly topics: number;
  readonly patterns: number;
  readonly entries: number;
  /** The row of all topics. */
  readonly total: SkillTopic;
}

/**
 * Aggregates the topics whose evidence changed since the last aggregation, or all of them (SKILL-1). Only reads: the
 * rows and files of topics are the caller's to write.
 */
export async function aggregateTopics(
  q: Reader,
  { folder, all, now }: { readonly folder: RecordFolder | null; readonly all: boolean; readonly now: Date },
): Promise<Aggregation> {
  const known = new Map((await listTopics(q)).map((topic) => [String(topic.category), topic]));
  const slugs = new Set([...known.values()].map(({ slug }): string => slug));
  const missing = folder === null ? new Set<string>() : await missingFiles(folder, [...slugs]);
  const evidence = await readEvidence(q);
  const groups = groupByTopic(evidence);
  const aggregated: AggregatedTopic[] = [];
  const changed: SkillTopic[] = [];
  let patterns = 0;
  for (const group of groups) {
    const row = known.get(group.category);
    const isKnown = row?.evidenceHash === group.evidenceHash;
    if (isKnown && !all && !missing.has(row.slug)) {
      patterns += row.patterns;
      continue;
    }
    const aggregate = aggregateTopic(group);
    const slug = row?.slug ?? topicSlug(group.category, slugs);
    slugs.add(slug);
    patterns += aggregate.patterns.length;
    const topic: SkillTopic = {
      category: group.category,
      slug,
      evidenceHash: group.evidenceHash,
      entries: aggregate.entries,
      patterns: aggregate.patterns.length,
      updatedAt: isKnown ? row.updatedAt : now.toISOString(),
    };
    aggregated.push({ aggregate, topic });
    if (!isKnown) changed.push(topic);
  }
  const current = new Set(groups.map(({ category }): string => category));
  const gone = [...known.values()].filter(({ category }) => !current.has(category));
  const entries = evidence.length;
  const total = {
    ...{ category: allTopics, slug: safe``, evidenceHash: "", entries, patterns },
    updatedAt: now.toISOString(),
  };
  return { aggregated, changed, gone, topics: groups.length, patterns, entries, total };
}

/** Returns the files of aggregated topics. */
export function filesOf(aggregated: readonly AggregatedTopic[]): readonly TopicFile[] {
  return aggregated.map(({ aggregate, topic: { slug } }) => ({ slug, text: renderTopicFile(aggregate) }));
}
