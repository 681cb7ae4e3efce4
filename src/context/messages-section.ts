import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { fence } from "../trust/fence.ts";
import { cleanBlock } from "./inline-text.ts";
import lead from "./messages.md";
import type { PromptRequest, ShownItem } from "./prompt.ts";

const messageChars = 10_000;

/**
 * The messages a person sent with `ralph message`. They are orders, not data: the fence only keeps their headings from
 * passing for the prompt's own. They follow the task because they may correct it.
 */
export function messagesSection({ messages, seed }: PromptRequest): SafeText {
  if (messages.length === 0) return safe``;
  const texts = messages.map(({ text }) => fence(cleanBlock(text, messageChars), seed));
  return joinSafe([lead.trim(), ...texts], "\n\n");
}

export function shownMessages({ messages }: PromptRequest): readonly ShownItem[] {
  return messages.map(({ id, taskId, createdAt }) => {
    const recipient = taskId === null ? "the next task, whichever it is" : "this task";
    return { id, score: 1, reason: `a person's message of ${createdAt} for ${recipient}; shown once` };
  });
}
