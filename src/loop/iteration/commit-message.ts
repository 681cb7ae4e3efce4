import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip, oneLine, wrapLine } from "../../base/text.ts";
import { closingSentences } from "../../outcome/closing-sentences.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import { storedText } from "../../trust/stored-text.ts";
import { splitTitle } from "./split-title.ts";

/** The trailer by which recovery finds the commit of a killed iteration. */
export const iterationTrailer = "Ralph-Iteration";

/** Also used when a template renders to an empty text. */
const defaultTemplate = "{title} ({id})";
/** Git's tools show this much of a subject. */
const subjectChars = 72;
const summaryChars = 500;

interface CommitSource {
  readonly task: Task;
  readonly outcome: Outcome;
  /** `commit.template`, with the slots `{id}`, `{title}`, `{attempt}`, `{model}`, `{agent}`. Its first line is the subject. */
  readonly template: string | null;
}

/**
 * Returns the message of a task's commit: the template with the title's first sentence in its subject, the rest of the
 * title, the agent's summary, the proof and the trailers. The task's template overrides the project's.
 */
export function commitMessage({ task, outcome, template }: CommitSource): SafeText {
  const title = oneLine(safeText(task.title));
  const [form = "", ...lines] = templateOf(task, outcome, template).split("\n");
  const fill = (text: string, part: string): SafeText => fillSlots(text, { task, outcome, title: part });
  const { first, rest } = splitTitle(title, subjectChars + 1 - fill(form, "x").length);
  const whole = oneLine(fill(form, first)) || storedText(task.id);
  const subject = clip(whole, subjectChars);
  const isShown = !form.includes("{title}") || lines.some((line) => line.includes("{title}"));
  const omitted = subject === whole ? (isShown ? safe`` : rest) : fill(form, title);
  const checks = outcome.checks.map((check) => oneLine(check.command)).join("; ");
  const proof = checks
    ? safe`Verified by: ${safeLine(checks, 500)}`
    : safe`Not verified: no command is configured.`;
  // The ids are ralph's own, and recovery searches for them: they stay as they are.
  const trailers = [
    safe`Ralph-Task: ${storedText(task.id)}`,
    safe`Ralph-Attempt: ${outcome.attempt}`,
    safe`${iterationTrailer}: ${storedText(outcome.iterationId)}`,
  ];
  const parts = [
    subject,
    fill(lines.join("\n"), title),
    wrapped(omitted),
    wrapped(closingSentences(safeText(outcome.finalMessage), summaryChars)),
    proof,
    joinSafe(trailers, "\n"),
  ];
  const filled = parts.filter((part) => part !== "");
  return safe`${joinSafe(filled, "\n\n")}\n`;
}

function templateOf(task: Task, outcome: Outcome, template: string | null): string {
  const wanted = (task.commitTemplate ?? template ?? defaultTemplate).trim();
  const isEmpty = fillSlots(wanted, { task, outcome, title: task.title }) === "";
  return isEmpty ? defaultTemplate : wanted;
}

interface Slots extends Omit<CommitSource, "template"> {
  readonly title: string;
}

function fillSlots(text: string, { task, outcome, title }: Slots): SafeText {
  const { attempt, model, agent } = outcome;
  const slots: Readonly<Record<string, string>> = { id: task.id, title, attempt: `${attempt}`, model, agent };
  return safeText(text.replace(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot)).trim();
}

function wrapped(text: SafeText): SafeText {
  return joinSafe(wrapLine(text, subjectChars), "\n");
}
