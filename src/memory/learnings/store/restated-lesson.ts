import type { Learning } from "./learning.ts";
import { isSameStatement, normalised } from "./learning-text.ts";

/** Reports whether a text repeats a part of the prompt (normalised) or, hardly changed, a learning that it showed (LEARN-10). */
export function isRestated(text: string, prompt: string, shown: readonly Learning[]): boolean {
  if (prompt.includes(normalised(text)) || shown.some(({ id }) => text.includes(id))) return true;
  return restatedLearning(text, shown) !== undefined;
}

/** Returns the first shown learning that `text` repeats, hardly changed. */
export function restatedLearning(text: string, shown: readonly Learning[]): Learning | undefined {
  const plain = normalised(text);
  return shown.find(
    ({ lesson, detail }) => isSameStatement(plain, lesson) || isSameStatement(plain, `${lesson} ${detail}`),
  );
}
