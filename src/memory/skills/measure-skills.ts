import { decimal, type SafeText, safe } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import { type Interval, newcombe } from "../port/intervals.ts";
import type { SkillUse } from "./store/skill.ts";
import { listSkillUses } from "./store/skill-use-store.ts";

/** The judged attempts with a skill, or those from which it was withheld. */
interface SkillSide {
  readonly attempts: number;
  readonly verified: number;
}

/** The use of a skill and the success with it (SKILL-5). */
export interface SkillMeasure {
  /** Prompts that named it. */
  readonly shown: number;
  /** Prompts that contained its text. */
  readonly inFull: number;
  /** Prompts from which a hold-out withheld it. */
  readonly withheld: number;
  /** Attempts whose agent opened it. */
  readonly loaded: number;
  readonly with: SkillSide;
  readonly without: SkillSide;
  /** Verified successes per attempt with it minus those without, 95%; null: too few attempts. */
  readonly difference: { readonly value: number; readonly interval: Interval } | null;
}

/** Minimum number of judged attempts on each side for a difference. */
const minAttempts = 4;

/** Measures a skill by its uses. Pure. */
export function measureUses(uses: readonly SkillUse[]): SkillMeasure {
  const judged = uses.filter(({ verified }) => verified !== null);
  const [shown, withheld] = [uses.filter(isShown), uses.filter((use) => !isShown(use))];
  const sides = {
    with: sideOf(judged.filter(isShown)),
    without: sideOf(judged.filter((use) => !isShown(use))),
  };
  return {
    shown: shown.length,
    inFull: shown.filter((use) => use.shown === "body").length,
    withheld: withheld.length,
    loaded: uses.filter(({ loaded }) => loaded).length,
    ...sides,
    difference: differenceOf(sides.with, sides.without),
  };
}

/** The first number of judged attempts at which a skill is tested; each later one is twice as large. */
const firstTest = 10;

/**
 * Returns the measure that shows harm: the whole interval of the difference is below zero. Null without such. Tests only
 * after 10, 20, 40, 80, … judged attempts, because a test after each attempt would at some time accuse every seventh
 * skill that does nothing (docs/benchmarks.md). `uses`: oldest first. Pure.
 */
export function harmIn(uses: readonly SkillUse[]): SkillMeasure | null {
  const judged = uses.filter(({ verified }) => verified !== null);
  for (let tested = firstTest; tested <= judged.length; tested *= 2) {
    const measure = measureUses(judged.slice(0, tested));
    if (measure.difference !== null && measure.difference.interval.high < 0) return measure;
  }
  return null;
}

function isShown({ shown }: SkillUse): boolean {
  return shown !== "withheld";
}

function sideOf(uses: readonly SkillUse[]): SkillSide {
  return { attempts: uses.length, verified: uses.filter(({ verified }) => verified === true).length };
}

function differenceOf(a: SkillSide, b: SkillSide): SkillMeasure["difference"] {
  if (a.attempts < minAttempts || b.attempts < minAttempts) return null;
  const interval = newcombe({ hits: a.verified, n: a.attempts }, { hits: b.verified, n: b.attempts });
  return { value: a.verified / a.attempts - b.verified / b.attempts, interval };
}

/** `verified 1 of 10 attempts with it, 9 of 10 without: −80 points (95%: −93 to −43)`. */
export function figuresOf({ with: shown, without, difference }: SkillMeasure): SafeText {
  const share = ({ verified, attempts }: SkillSide): SafeText => safe`${verified} of ${attempts}`;
  const counts = safe`verified ${share(shown)} attempts with it, ${share(without)} without`;
  if (difference === null) return counts;
  const { value, interval } = difference;
  return safe`${counts}: ${points(value)} points (95%: ${points(interval.low)} to ${points(interval.high)})`;
}

function points(share: number): SafeText {
  return safe`${share < 0 ? "−" : "+"}${decimal(Math.abs(100 * share), 0)}`;
}

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
