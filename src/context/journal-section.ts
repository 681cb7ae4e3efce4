import { type SafeText, safe } from "../base/safe-text.ts";
import { fillTemplate } from "./fill-template.ts";
import { codeSpan } from "./inline-text.ts";
import text from "./journal.md";
import type { PromptRequest } from "./prompt.ts";

/** Longer than any path that a system accepts. */
const pathChars = 4096;

/** Names the journal and what belongs there, in every prompt: a page that nobody knows of stays empty (JOURNAL-4). */
export function journalSection({ journal }: PromptRequest): SafeText {
  if (!journal) return safe``;
  const { path, change } = journal;
  return fillTemplate(text, { path: codeSpan(path, pathChars), change: codeSpan(change, 120) });
}
