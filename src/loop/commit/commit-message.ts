import { clip, oneLine } from "../../base/text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/task.ts";
import { safeText } from "../../trust/safe-text.ts";

/** The trailer by which recovery finds the commit of a killed iteration. */
export const iterationTrailer = "Ralph-Iteration";

/** Also used when a template renders to an empty text. */
const defaultTemplate = "{title} ({id})";

interface CommitSource {
  readonly task: Task;
  readonly outcome: Outcome;
  /** `commit.template`, with the slots `{id}`, `{title}`, `{attempt}`, `{model}`, `{agent}`. Its first line is the subject. */
  readonly template: string | null;
}

/** Returns the message of a task's commit. The task's template overrides the project's; trailers are always added. */
export function commitMessage({ task, outcome, template }: CommitSource): string {
  const slots: Readonly<Record<string, string>> = {
    id: task.id,
    title: oneLine(task.title),
    attempt: String(outcome.attempt),
    model: outcome.model,
    agent: outcome.agent,
  };
  const fill = (text: string): string =>
    safeText(text.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot)).trim();
  const text = fill(task.commitTemplate ?? template ?? defaultTemplate) || fill(defaultTemplate);
  const [subject = task.id, ...body] = text.split("\n");
  const checks = outcome.checks.map((check) => oneLine(check.command)).join("; ");
  const proof = checks ? `Verified by: ${clip(checks, 500)}` : "Not verified: no command is configured.";
  const trailers = [
    `Ralph-Task: ${task.id}`,
    `Ralph-Attempt: ${outcome.attempt}`,
    `${iterationTrailer}: ${outcome.iterationId}`,
  ];
  const parts = [clip(oneLine(subject), 120), body.join("\n").trim(), safeText(proof), trailers.join("\n")];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
