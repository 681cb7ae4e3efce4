import { sha256 } from "../../../base/hash.ts";
import { type RedactedText, safe } from "../../../base/safe-text.ts";
import type { Evidence } from "../../port/skill-evidence.ts";
import { clusterPatterns } from "./cluster-patterns.ts";
import { topicKey } from "./topic-key.ts";

/** Statements of one pattern, merged. */
export interface AggregatedPattern {
  /** `p-` and hex digits of its text's hash. */
  readonly id: string;
  readonly text: RedactedText;
  /** The number of attempts that stated it. */
  readonly count: number;
  readonly taskIds: readonly string[];
  /** The number of attempts that stated it and whose verification passed. */
  readonly verified: number;
  /** ISO 8601. */
  readonly lastSeen: string;
  readonly learningIds: readonly string[];
  /** Its statements, oldest first. */
  readonly evidence: readonly Evidence[];
}

/** An approach that failed. */
export interface AntiPattern extends AggregatedPattern {
  /** The newest advice on what to do instead; "" for none. */
  readonly lesson: RedactedText;
  /** The newest error that an attempt with it ended with; null: none. */
  readonly error: RedactedText | null;
}

/** The patterns of one topic, the strongest first. */
export interface CategoryAggregate {
  /** As `topicKey` returns it. */
  readonly category: RedactedText;
  readonly evidenceHash: string;
  /** The number of entries of records. */
  readonly entries: number;
  readonly patterns: readonly AggregatedPattern[];
  readonly antiPatterns: readonly AntiPattern[];
}

/** The evidence of one topic, and a hash of it. */
export interface TopicEvidence {
  readonly category: RedactedText;
  readonly evidenceHash: string;
  readonly evidence: readonly Evidence[];
}

/** Change it when the same evidence gives another aggregate. */
const version = 1;

/** Groups evidence by topic (SKILL-1), ordered by name. */
export function groupByTopic(evidence: readonly Evidence[]): readonly TopicEvidence[] {
  const keys = new Map<string, RedactedText>();
  const groups = new Map<RedactedText, Evidence[]>();
  for (const one of evidence) {
    const key = keys.get(one.category) ?? topicKey(one.category);
    keys.set(one.category, key);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups]
    .filter(([category]) => category !== "")
    .map(([category, group]) => ({ category, evidence: group, evidenceHash: hashOf(group) }))
    .sort((a, b) => byText(a.category, b.category));
}

/** Merges the patterns of one topic. */
export function aggregateTopic({ category, evidenceHash, evidence }: TopicEvidence): CategoryAggregate {
  const worked = evidence.filter(({ kind }) => kind !== "failure");
  // The failures that ralph describes itself are its attempts' last messages: no approach that one could avoid.
  const failed = evidence.filter(({ kind, statedIn }) => kind === "failure" && statedIn !== "facts");
  return {
    category,
    evidenceHash,
    entries: evidence.length,
    patterns: merge(worked).sort(strongestFirst),
    antiPatterns: merge(failed)
      .sort(strongestFirst)
      .map((pattern) => ({
        ...pattern,
        lesson: newest(pattern.evidence, ({ supplement }) => supplement) ?? safe``,
        error: newest(pattern.evidence, ({ error }) => error) ?? null,
      })),
  };
}

function merge(evidence: readonly Evidence[]): AggregatedPattern[] {
  const clusters = clusterPatterns(evidence.map(({ pattern }, at) => ({ id: String(at), text: pattern })));
  return clusters.flatMap(({ text, members }) => {
    const found = members.flatMap((id) => evidence[Number(id)] ?? []).sort((a, b) => byText(a.at, b.at));
    const wording = found.find(({ pattern }) => pattern === text)?.pattern;
    return wording === undefined || wording === "" ? [] : [patternOf(wording, found)];
  });
}

function patternOf(text: RedactedText, evidence: readonly Evidence[]): AggregatedPattern {
  return {
    id: `p-${sha256(text).slice(0, 8)}`,
    text,
    count: distinct(evidence, ({ recordId }) => recordId).length,
    taskIds: distinct(evidence, ({ taskId }) => taskId),
    verified: distinct(
      evidence.filter(({ verified }) => verified),
      ({ recordId }) => recordId,
    ).length,
    lastSeen: evidence.at(-1)?.at ?? "",
    learningIds: distinct(evidence, ({ learningId }) => learningId ?? "").filter((id) => id !== ""),
    evidence,
  };
}

function strongestFirst(a: AggregatedPattern, b: AggregatedPattern): number {
  return (
    b.verified - a.verified ||
    b.taskIds.length - a.taskIds.length ||
    b.count - a.count ||
    byText(b.lastSeen, a.lastSeen) ||
    byText(a.text, b.text)
  );
}

function newest(
  evidence: readonly Evidence[],
  textOf: (one: Evidence) => RedactedText | null,
): RedactedText | undefined {
  const found = evidence.findLast((one) => (textOf(one) ?? "") !== "");
  return found && (textOf(found) ?? undefined);
}

/** Returns the sorted different values. */
export function distinct<T>(all: readonly T[], textOf: (one: T) => string): readonly string[] {
  return [...new Set(all.map(textOf))].sort(byText);
}

function hashOf(evidence: readonly Evidence[]): string {
  const fields = evidence.map((one) => [
    ...[one.kind, one.pattern, one.supplement, one.statedIn, one.recordId, one.learningId, one.taskId],
    ...[one.verified, one.error, one.tags, one.files, one.at],
  ]);
  return sha256(JSON.stringify([version, fields])).slice(0, 32);
}

/** Orders by code units: the same on every machine. */
function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
