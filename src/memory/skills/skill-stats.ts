import type { Reader } from "../../store/port/db.ts";
import { readEvidence } from "../port/skill-evidence.ts";
import type { SkillUse } from "./store/skill.ts";
import { listProposals, listSkills, listTopics } from "./store/skill-store.ts";
import { listSkillUses } from "./store/skill-use-store.ts";

/** The metrics object of `ralph skills stats` (SKILL-5). Its names are fixed. */
export interface SkillStats {
  readonly selfImprovement: {
    /** Successes, failures and discoveries of all records. */
    readonly learningsCaptured: number;
    /** Those of them that the last aggregation counted. */
    readonly learningsAggregated: number;
    /** Skills that were accepted, retired ones included. */
    readonly skillsGenerated: number;
    /** Accepted changes of skills. */
    readonly skillsUpdated: number;
    /** Tokens per verified success without skills minus those with; null: not measured. */
    readonly avgTokensSaved: number | null;
    /** Numbers of different patterns by topic. */
    readonly patternCategories: Readonly<Record<string, number>>;
  };
}

/** Counts the proposals that nobody has decided on. */
export async function countWaiting(q: Reader): Promise<number> {
  return (await listProposals(q, { status: "pending" })).length;
}

/** Counts what the skills are made of, and measures what they save. */
export async function readSkillStats(q: Reader): Promise<SkillStats> {
  const topics = await listTopics(q);
  const changes = await listProposals(q, { status: "accepted" });
  return {
    selfImprovement: {
      learningsCaptured: (await readEvidence(q)).length,
      learningsAggregated: topics.reduce((sum, { entries }) => sum + entries, 0),
      skillsGenerated: (await listSkills(q)).length,
      skillsUpdated: changes.filter(({ kind }) => kind === "change").length,
      avgTokensSaved: tokensSaved(await listSkillUses(q)),
      patternCategories: Object.fromEntries(topics.map(({ category, patterns }) => [category, patterns])),
    },
  };
}

/** Minimum number of measured attempts on each side. */
const minAttempts = 10;

/**
 * Returns the tokens per verified success of attempts from which every fitting skill was withheld, minus those of
 * attempts that were shown every one; rounded. Null with fewer than ten measured attempts, or no success, on a side. Pure.
 */
export function tokensSaved(uses: readonly SkillUse[]): number | null {
  const byIteration = new Map<string, SkillUse[]>();
  for (const use of uses)
    byIteration.set(use.iterationId, [...(byIteration.get(use.iterationId) ?? []), use]);
  const attempts = [...byIteration.values()];
  const perSuccess = (isWithheld: boolean): number | null => {
    const measured = attempts.flatMap((own) => {
      const [first] = own;
      const isSide = own.every(({ shown }) => (shown === "withheld") === isWithheld);
      return first && isSide && first.verified !== null && first.tokens !== null ? [first] : [];
    });
    const successes = measured.filter(({ verified }) => verified).length;
    if (measured.length < minAttempts || successes === 0) return null;
    return measured.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0) / successes;
  };
  const [without, shown] = [perSuccess(true), perSuccess(false)];
  return without === null || shown === null ? null : Math.round(without - shown);
}
