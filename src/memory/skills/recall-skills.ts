import { safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import type { Reader } from "../../store/port/db.ts";
import { isHeldOut } from "../port/compare-trials.ts";
import type { LeftOut, MemoryItem, Recalled, RecallRequest } from "../port/memory-kind.ts";
import type { SkillSettings } from "../port/skill-settings.ts";
import { type FittingSkill, findSkills } from "./find-skills.ts";
import lead from "./lead.md";
import { fitBody, renderBody, renderHint, renderLine } from "./render-recalled-skill.ts";

export interface SkillRecall {
  readonly root: string;
  readonly settings: SkillSettings;
  /** Share of the iterations from which each fitting skill is withheld, to measure its effect. */
  readonly holdout: number;
  readonly now: () => Date;
}

/** Maximum numbers of skills that a prompt names, and that it describes at length. */
const maxima = { named: 20, described: 3 };
const maxLeftOut = 20;
const bodySuffix = " body";

/** The item of a prompt that holds a skill's body, beside the item with its name. */
export function bodyItem(name: string): string {
  return `${name}${bodySuffix}`;
}

/**
 * Returns the prompt section with all skills that fit the task: their names, paths and descriptions, then the body of the best. Skills that the agent lists by itself are only named.
 */
export async function recallSkills(
  db: Reader,
  request: RecallRequest,
  { root, settings, holdout, now }: SkillRecall,
): Promise<readonly Recalled[]> {
  const { task, runId, iteration, seed, listsSkills } = request;
  const fitting = await findSkills(db, task, { ...settings, root, now: now() });
  if (fitting.length === 0) return [];
  const first = fitting.slice(0, maxima.named);
  // Each skill has its own draw, so that its effect is not mixed with that of others or of learnings.
  const isHeld = ({ skill }: FittingSkill): boolean =>
    isHeldOut(holdout, `${runId} ${skill.name}`, iteration);
  const shown = first.filter((one) => !isHeld(one));
  const why = `held out: a share of ${holdout} of all iterations does not get it`;
  const leftOut: readonly LeftOut[] = [
    ...first.filter(isHeld).map(({ skill }) => ({ id: skill.name, reason: why, withheld: true })),
    ...fitting.slice(maxima.named, maxima.named + maxLeftOut).map(({ skill, reasons }) => ({
      id: skill.name,
      reason: `beyond the limit of ${maxima.named} (${reasons.join(", ")})`,
    })),
  ];
  const hints = shown.flatMap((one) => hintItem(one, listsSkills ?? null));
  const lines = shown.filter(({ skill }) => !hints.some(({ id }) => id === skill.name));
  const [best] = lines;
  return [
    {
      section: "skills",
      heading: safe`### Skills`,
      lead: best ? lead.trim() : safe``,
      items: [...hints, ...lines.map(lineItem), ...(best ? [bodyOf(best, seed)] : [])],
      tail: safe``,
      drop: "last",
      leftOut,
    },
  ];
}

/** Returns the item for a skill in the folder from which the agent lists skills; none for others. */
function hintItem({ skill, score, reasons }: FittingSkill, folder: string | null): readonly MemoryItem[] {
  const path = folder === null ? undefined : skill.paths.find((one) => one.startsWith(`${folder}/`));
  if (path === undefined) return [];
  const text = renderHint(skill.name, path);
  return [{ id: skill.name, text, short: text, score, reason: reasonOf(reasons), label: labelOf(skill) }];
}

function lineItem({ skill, score, reasons }: FittingSkill, at: number): MemoryItem {
  const { text, short } = renderLine(skill);
  return {
    id: skill.name,
    text: at < maxima.described ? text : short,
    short,
    score,
    reason: reasonOf(reasons),
    label: labelOf(skill),
  };
}

function bodyOf({ skill, score }: FittingSkill, seed: string): MemoryItem {
  return {
    id: bodyItem(skill.name),
    text: renderBody(skill, seed),
    short: safe``,
    fit: (room) => fitBody(skill, seed, room),
    score,
    reason: "the text of the best one",
  };
}

function reasonOf(reasons: readonly string[]): string {
  return `fits by ${reasons.join(", ")}`;
}

function labelOf({ description }: FittingSkill["skill"]): string {
  return clip(description, 80);
}
