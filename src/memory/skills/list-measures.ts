import type { SafeText } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import { figuresOf, measureUses, type SkillMeasure } from "./measure-skills.ts";
import type { SkillUse } from "./store/skill.ts";
import { listSkillUses } from "./store/skill-use-store.ts";

/** The measure of one skill, of a person or accepted. */
export interface MeasuredSkill extends SkillMeasure {
  readonly name: SafeText;
  /** The successes with and without it, in one line. */
  readonly figures: SafeText;
}

/** Measures every skill that a prompt showed or lacked, since a time or ever, ordered by name (SKILL-5). */
export async function measureSkills(q: Reader, since: string | null): Promise<readonly MeasuredSkill[]> {
  const byName = new Map<SafeText, SkillUse[]>();
  for (const use of await listSkillUses(q)) {
    if (since !== null && use.createdAt < since) continue;
    const own = byName.get(use.name);
    if (own) own.push(use);
    else byName.set(use.name, [use]);
  }
  return [...byName]
    .map(([name, uses]) => {
      const measure = measureUses(uses);
      return { name, ...measure, figures: figuresOf(measure) };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
