import { fence } from "../../trust/fence.ts";
import type { PromptRequest, ShownItem } from "../prompt.ts";
import { cleanBlock } from "./inline-text.ts";
import lead from "./messages.md";

const messageChars = 10_000;

/**
 * What a person told this iteration with `ralph message`. It is an order, not data; the fence only keeps headings in it
 * from passing for the prompt's own. After the task, as it may correct it.
 */
export function messagesSection({ messages, seed }: PromptRequest): string {
  if (messages.length === 0) return "";
  return [lead.trim(), ...messages.map(({ text }) => fence(cleanBlock(text, messageChars), seed))].join(
    "\n\n",
  );
}

export function shownMessages({ messages }: PromptRequest): readonly ShownItem[] {
  return messages.map(({ id, taskId, createdAt }) => {
    const whom = taskId === null ? "whatever task is next" : "this task";
    return { id, score: 1, reason: `a person's message of ${createdAt} for ${whom}; shown once` };
  });
}
