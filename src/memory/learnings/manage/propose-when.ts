import { joinSafe, replaceSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { fence } from "../../../trust/fence.ts";
import { safeLine, safeText } from "../../../trust/safe-text.ts";
import type { Learning } from "../store/learning.ts";
import { storableWhen } from "../store/learning-text.ts";
import prompt from "./propose-when.md";

/** Says when a learning applies, in a model's words. */
export interface ProposedWhen {
  readonly id: string;
  readonly when: SafeText;
}

type Lesson = Pick<Learning, "id" | "lesson">;

/** Returns the prompt that asks a model when each of these learnings applies (LEARN-13). */
export function whenPrompt(learnings: readonly Lesson[], seed: string): SafeText {
  const lines = learnings.map(({ id, lesson }) => safe`${safeText(id)}: ${safeLine(lesson, 300)}`);
  const lessons = fence(joinSafe(lines, "\n"), seed);
  return replaceSafe(prompt, /\{\{lessons\}\}/g, () => lessons);
}

const maxAnswerChars = 50_000;
const line = /^[\s*`-]*(l-[0-9a-f]+)`?\s*[:|]\s*(\S.*)$/;

/** Reads a model's answer, a line per learning: what names none of them, or one again, is left out. */
export function readWhen(answer: string, learnings: readonly Lesson[]): readonly ProposedWhen[] {
  const open = new Set(learnings.map(({ id }) => id));
  return answer
    .slice(0, maxAnswerChars)
    .split("\n")
    .flatMap((text): readonly ProposedWhen[] => {
      const [, id = "", phrase = ""] = line.exec(text) ?? [];
      const when = storableWhen(phrase);
      return when !== "" && open.delete(id) ? [{ id, when }] : [];
    });
}
