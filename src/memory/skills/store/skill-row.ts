import { isObject, parseJson, parseStrings } from "../../../base/json.ts";
import type { RedactedText, SafeText } from "../../../base/safe-text.ts";
import type { Row, SqlValue } from "../../../store/port/db.ts";
import type { ProposalKind } from "../../port/memory-kind.ts";
import type {
  ProposalStatus,
  Skill,
  SkillContent,
  SkillProposal,
  SkillSource,
  SkillStatus,
  SkillTopic,
} from "./skill.ts";

export function skillToRow(skill: Skill): Record<string, SqlValue> {
  return {
    ...contentToRow(skill),
    status: skill.status,
    accepted_at: skill.acceptedAt,
    updated_at: skill.updatedAt,
    retired_at: skill.retiredAt,
    reason: skill.reason,
  };
}

export function proposalToRow(proposal: SkillProposal): Record<string, SqlValue> {
  return {
    id: proposal.id,
    ...contentToRow(proposal),
    kind: proposal.kind,
    reason: proposal.reason,
    status: proposal.status,
    run_id: proposal.runId,
    created_at: proposal.createdAt,
    decided_at: proposal.decidedAt,
  };
}

export function topicToRow(topic: SkillTopic): Record<string, SqlValue> {
  return {
    category: topic.category,
    slug: topic.slug,
    evidence_hash: topic.evidenceHash,
    entries: topic.entries,
    patterns: topic.patterns,
    updated_at: topic.updatedAt,
  };
}

function contentToRow(content: SkillContent): Record<string, SqlValue> {
  return {
    name: content.name,
    category: content.category,
    description: content.description,
    body: content.body,
    tags: JSON.stringify(content.tags),
    files: JSON.stringify(content.files),
    source: JSON.stringify(content.source),
    evidence_hash: content.evidenceHash,
  };
}

/** The functions above wrote the texts of the rows below. */
type ContentRow = Row & {
  readonly name: SafeText;
  readonly category: RedactedText;
  readonly description: RedactedText;
  readonly body: RedactedText;
  readonly tags: RedactedText;
  readonly files: RedactedText;
  readonly source: RedactedText;
};

export type SkillRow = ContentRow & { readonly reason: RedactedText | null };
export type ProposalRow = ContentRow & { readonly reason: RedactedText };
export type TopicRow = Row & { readonly category: RedactedText; readonly slug: SafeText };

export function skillOf(row: SkillRow): Skill {
  return {
    ...contentOf(row),
    status: String(row["status"]) as SkillStatus,
    acceptedAt: String(row["accepted_at"]),
    updatedAt: String(row["updated_at"]),
    retiredAt: optional(row["retired_at"]),
    reason: row.reason,
  };
}

export function proposalOf(row: ProposalRow): SkillProposal {
  return {
    id: String(row["id"]),
    ...contentOf(row),
    kind: String(row["kind"]) as ProposalKind,
    reason: row.reason,
    status: String(row["status"]) as ProposalStatus,
    runId: optional(row["run_id"]),
    createdAt: String(row["created_at"]),
    decidedAt: optional(row["decided_at"]),
  };
}

export function topicOf(row: TopicRow): SkillTopic {
  return {
    category: row.category,
    slug: row.slug,
    evidenceHash: String(row["evidence_hash"]),
    entries: Number(row["entries"]),
    patterns: Number(row["patterns"]),
    updatedAt: String(row["updated_at"]),
  };
}

function contentOf(row: ContentRow): SkillContent {
  return {
    name: row.name,
    category: row.category,
    description: row.description,
    body: row.body,
    tags: parseStrings(row.tags),
    files: parseStrings(row.files),
    source: sourceOf(row.source),
    evidenceHash: String(row["evidence_hash"]),
  };
}

function sourceOf(text: string): SkillSource {
  const value = parseJson(text);
  const fields = isObject(value) ? value : {};
  const strings = (name: keyof SkillSource): readonly string[] =>
    parseStrings(JSON.stringify(fields[name] ?? []));
  return {
    date: String(fields["date"] ?? ""),
    learningIds: strings("learningIds"),
    taskIds: strings("taskIds"),
    runIds: strings("runIds"),
  };
}

function optional(value: SqlValue | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
