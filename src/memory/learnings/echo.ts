import type { Learning } from "./learning.ts";
import { normalised, saysTheSame } from "./learning-text.ts";

/** Our own words said back: a part of the prompt (normalised), or a learning that it showed, hardly changed (LEARN-10). */
export function isEcho(text: string, prompt: string, shown: readonly Learning[]): boolean {
  const plain = normalised(text);
  if (prompt.includes(plain)) return true;
  return shown.some(({ id, lesson, detail }) => {
    if (text.includes(id)) return true;
    return saysTheSame(plain, lesson) || saysTheSame(plain, `${lesson} ${detail}`);
  });
}
