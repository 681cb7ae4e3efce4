import { clip, oneLine } from "../../base/text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/task.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";

/** The trailer by which recovery finds a commit that a killed ralph had made. */
export const iterationTrailer = "Ralph-Iteration";

/** Also where a template comes to nothing. */
const defaultTemplate = "{title} ({id})";

interface CommitSource {
  readonly task: Task;
  readonly outcome: Outcome;
  /** `commit.template`: `{id}`, `{title}`, `{attempt}`, `{model}`, `{agent}` are filled in; its first line is the subject. */
  readonly template: string | null;
}

/** The message of a task's commit. A task's own template comes before the project's; the trailers are always there. */
export function commitMessage({ task, outcome, template }: CommitSource): string {
  const slots: Readonly<Record<string, string>> = {
    id: task.id,
    title: oneLine(task.title),
    attempt: String(outcome.attempt),
    model: outcome.model,
    agent: outcome.agent,
  };
  const fill = (text: string): string =>
    stripControls(redact(text.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot))).trim();
  const text = fill(task.commitTemplate ?? template ?? defaultTemplate) || fill(defaultTemplate);
  const [subject = task.id, ...body] = text.split("\n");
  const checks = outcome.checks.map((check) => oneLine(check.command)).join("; ");
  const proof = checks ? `Verified by: ${clip(checks, 500)}` : "Not verified: no command is configured.";
  const trailers = [
    `Ralph-Task: ${task.id}`,
    `Ralph-Attempt: ${outcome.attempt}`,
    `${iterationTrailer}: ${outcome.iterationId}`,
  ];
  const parts = [clip(oneLine(subject), 120), body.join("\n").trim(), redact(proof), trailers.join("\n")];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
