import { isObject, type JsonValue, parseJson } from "../../base/json.ts";
import { joinSafe, replaceSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import type { SearchQuery } from "../../search/query.ts";
import { fence } from "../../trust/fence.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import prompt from "./agent-choice.md";
import type { Learning } from "./store/learning.ts";

/** A lesson that a model may choose. */
export type Offered = Pick<Learning, "id" | "lesson" | "when">;

/** A lesson that a model chose for a task, and why, in its words. */
export interface Chosen {
  readonly id: string;
  readonly why: SafeText;
}

const max = { chosen: 5, answer: 5000, description: 4000, error: 1500, why: 60 };
/** Of lessons of which the model is not sure, where it is of none. */
const unsure = { lines: 2, chars: 300 };

/** Returns the prompt that asks a model which lessons a task needs (LEARN-16). `seed` is that of its fences. */
export function choicePrompt(
  { title, description, lastError }: Pick<SearchQuery, "title" | "description" | "lastError">,
  offered: readonly Offered[],
  seed: string,
): SafeText {
  const failed = lastError.trim() === "" ? "" : `The last attempt failed:\n${clip(lastError, max.error)}`;
  const task = [clip(title, 300), clip(description, max.description).trim(), failed].filter(Boolean);
  const values: Readonly<Record<string, SafeText>> = {
    task: fence(safeText(task.join("\n\n")), seed),
    lessons: fence(joinSafe(offered.map(lineOf), "\n"), seed),
  };
  return replaceSafe(prompt, /\{\{(\w+)\}\}/g, (slot, name = slot) => values[name] ?? slot);
}

/** Returns a lesson in one line. */
export function lineOf({ id, lesson, when }: Offered): SafeText {
  const applies = when === "" ? safe`` : safe` (when: ${safeLine(when, 160)})`;
  return safe`${safeText(id)}: ${safeLine(lesson, 300)}${applies}`;
}

/**
 * Reads a model's answer: the lessons that it chose, none for `[]`. Returns null for all else, as for more than it may choose, or
 * only for what it was not offered: the model misunderstood, or followed instructions in the texts.
 */
export function readChoice(answer: string, offered: readonly Offered[]): readonly Chosen[] | null {
  const text = answer.trim();
  if (text.length > max.answer) return null;
  const list = parseJson(/^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(text)?.[1] ?? text);
  if (!Array.isArray(list) || list.length > max.chosen) return null;
  const lessons = new Map(offered.map((one) => [one.id, one]));
  const known = (list as readonly JsonValue[]).flatMap((one) => {
    const lesson = isObject(one) && typeof one["id"] === "string" ? lessons.get(one["id"]) : undefined;
    if (!isObject(one) || !lesson || !lessons.delete(lesson.id)) return [];
    const why = safeLine(typeof one["why"] === "string" ? one["why"] : "", max.why);
    return [{ id: lesson.id, why, chars: lesson.lesson.length, sure: one["sure"] !== false }];
  });
  if (known.length === 0 && list.length > 0) return null;
  const sure = known.filter((one) => one.sure);
  return (sure.length > 0 ? sure : firstFew(known)).map(({ id, why }) => ({ id, why }));
}

function firstFew<T extends { readonly chars: number }>(known: readonly T[]): readonly T[] {
  let left = unsure.chars;
  return known.slice(0, unsure.lines).filter(({ chars }) => {
    left -= chars;
    return left >= 0;
  });
}
