import type { RedactedText, SafeText } from "../../../base/safe-text.ts";
import type { ProposalKind } from "../../port/memory-kind.ts";

/** The evidence that a skill's generated part was made from. */
export interface SkillSource {
  /** The day of the newest evidence, `YYYY-MM-DD`. */
  readonly date: string;
  readonly learningIds: readonly string[];
  readonly taskIds: readonly string[];
  readonly runIds: readonly string[];
}

/** The generated content of a skill, accepted or proposed. */
export interface SkillContent {
  /** Lower-case letters, digits and single dashes; at most 64 characters. */
  readonly name: SafeText;
  /** The topic. */
  readonly category: RedactedText;
  /** Its content and when it applies; at most 1,024 characters. */
  readonly description: RedactedText;
  /** The generated Markdown between the markers. */
  readonly body: RedactedText;
  /** Tags of the source tasks. */
  readonly tags: readonly RedactedText[];
  /** Globs of the source tasks' files. */
  readonly files: readonly RedactedText[];
  readonly source: SkillSource;
  /** Equal for equal evidence. */
  readonly evidenceHash: string;
}

/** Returns the content of a skill or proposal alone. */
export function contentOf(of: SkillContent): SkillContent {
  const { name, category, description, body, tags, files, source, evidenceHash } = of;
  return { name, category, description, body, tags, files, source, evidenceHash };
}

export type SkillStatus = "active" | "retired";

/** An accepted skill. */
export interface Skill extends SkillContent {
  readonly status: SkillStatus;
  /** ISO 8601, like the times below. */
  readonly acceptedAt: string;
  readonly updatedAt: string;
  readonly retiredAt: string | null;
  /** Why it was retired; null: it is not. */
  readonly reason: RedactedText | null;
}

export type ProposalStatus = "pending" | "accepted" | "rejected" | "superseded";

/** A new, changed or retired skill that waits for a person's decision. */
export interface SkillProposal extends SkillContent {
  /** `sp-` and hex digits. */
  readonly id: string;
  readonly kind: ProposalKind;
  /** Why it is proposed, in one line. */
  readonly reason: RedactedText;
  readonly status: ProposalStatus;
  /** The run that proposed it; null: a command. */
  readonly runId: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly decidedAt: string | null;
}

/** One skill that fitted one iteration. */
export interface SkillUse {
  readonly name: SafeText;
  readonly iterationId: string;
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  /** The part of it in the prompt; `withheld`: none, by a hold-out. */
  readonly shown: "name" | "body" | "withheld";
  /** True: the agent opened the skill by itself. */
  readonly loaded: boolean;
  /** True: verification passed. Null: it is not known. */
  readonly verified: boolean | null;
  /** The tokens that the attempt used; null: unknown. */
  readonly tokens: number | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The result of the last aggregation of one topic. */
export interface SkillTopic {
  readonly category: RedactedText;
  /** The name of its file without `.yaml`; its skill is `<slug>-learned`. No two topics have the same. */
  readonly slug: SafeText;
  readonly evidenceHash: string;
  /** The number of entries of records that were aggregated. */
  readonly entries: number;
  readonly patterns: number;
  /** ISO 8601. */
  readonly updatedAt: string;
}
