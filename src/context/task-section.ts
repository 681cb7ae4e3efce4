import { count } from "../base/text.ts";
import { fence } from "../trust/fence.ts";
import { fill } from "./fill.ts";
import { cleanBlock, codeSpan, inline } from "./inline.ts";
import type { PromptRequest } from "./prompt.ts";
import rules from "./task-rules.md";

const taskChars = 20_000;

/**
 * The task and how to work on it. Its text stands in a fence although it is the person's own order: much of it is
 * imported, and a description that holds headings must not pass for the prompt's own sections.
 */
export function taskSection({ task, attempt, root, leftovers, seed }: PromptRequest): string {
  const about = [
    ...(task.files.length > 0 ? [`Files: ${task.files.map((file) => inline(file, 200)).join(", ")}`] : []),
    ...(task.tags.length > 0 ? [`Tags: ${task.tags.map((tag) => inline(tag, 60)).join(", ")}`] : []),
  ];
  const text = [task.title, task.description, about.join("\n")].filter((part) => part.trim()).join("\n\n");
  const kept =
    leftovers && attempt > 1
      ? `\n- What ${count(attempt - 1, "earlier attempt")} changed is still in the working folder. Keep what is right.`
      : "";
  return fill(rules, {
    task: codeSpan(task.id, 80),
    attempt: String(attempt),
    text: fence(cleanBlock(text, taskChars), seed),
    root: codeSpan(root, 400),
    kept,
  });
}

/** What has to hold when the task is done, in its author's words, one line each. */
export function acceptanceSection({ task }: PromptRequest): string {
  if (task.acceptance.length === 0) return "";
  const lines = task.acceptance.map((criterion) => `- ${inline(criterion, 1000)}`);
  return `### Acceptance Criteria\n\n${lines.join("\n")}`;
}
