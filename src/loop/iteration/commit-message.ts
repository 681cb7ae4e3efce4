import { joinSafe, replaceSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip, oneLine, wrapLine } from "../../base/text.ts";
import { closingSentences } from "../../outcome/closing-sentences.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { redactedText, safeLine, safeText } from "../../trust/safe-text.ts";
import { storedText } from "../../trust/stored-text.ts";

/** The trailer by which recovery finds the commit of a killed iteration. */
export const iterationTrailer = "Ralph-Iteration";

/** Also used when a template renders to an empty text. */
const defaultTemplate = "{title}";
/** Git's tools show this much of a subject. */
const subjectChars = 72;
const summaryChars = 500;

type Titled = Pick<Task, "commitTemplate" | "id" | "title">;
type Ended = Pick<Outcome, "agent" | "attempt" | "checks" | "finalMessage" | "iterationId" | "model">;

interface CommitSource {
  readonly task: Titled;
  readonly outcome: Ended;
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
  const subject = clipAtWord(whole, subjectChars);
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

/** Returns the message that the task's commit would have, to try it before there is one. */
export function sampleMessage(task: Titled, template: string | null): SafeText {
  const ended = { agent: "agent", attempt: 1, checks: [], iterationId: "i-0", model: "model" };
  return commitMessage({ task, outcome: { ...ended, finalMessage: redactedText("Done.") }, template });
}

function templateOf(task: Titled, outcome: Ended, template: string | null): string {
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

interface TitleParts {
  /** The first sentence, at most the wanted length, without its full stop. */
  readonly first: SafeText;
  /** The text that the first part lacks; "" if that is nothing but a full stop. */
  readonly rest: SafeText;
}

/** A sentence's end: a capital, a digit or an opening quote follows. */
const sentenceEnd = /[.!?](?=\s+["'`([\p{Lu}\p{N}])/gu;
const abbreviation = /(?:^|\s)(?:e\.g|i\.e|etc|vs|cf|no|approx|incl|[A-Za-z])\.$/i;
/** A sentence below this is a label such as "1." or "Fix." and stays with the next one. */
const minSentence = 10;
/** Below this much room the title is cut by the caller instead. */
const minRoom = 20;

/** Splits a title of one line into its first sentence, cut at a word to at most `max` characters, and the rest. */
function splitTitle(title: SafeText, max: number): TitleParts {
  const room = Math.max(max, minRoom);
  const end = endOfFirstSentence(title);
  const stopped = title.slice(0, end);
  const sentence = /(?<!\.)\.$/.test(stopped) ? stopped.slice(0, -1) : stopped;
  if (sentence.length <= room) return { first: sentence, rest: title.slice(end).trim() };
  const space = title.lastIndexOf(" ", room - 1);
  if (space < room / 2) return { first: clipAtWord(sentence, room), rest: title };
  return { first: clipAtWord(sentence, room), rest: safe`…${title.slice(space + 1)}` };
}

/** Shortens `text` between two words, or behind a mark in a long path; only where there is neither, within a word. */
function clipAtWord(text: SafeText, max: number): SafeText {
  if (text.length <= max) return text;
  const room = text.slice(0, max);
  const [space, mark] = [room.lastIndexOf(" "), room.slice(0, -1).search(/[/._:-][^/._:-]*$/) + 1];
  const at = [space, mark, space].find((end, n) => end > (n < 2 ? max / 2 : 0));
  if (at === undefined) return clip(text, max);
  return safe`${replaceSafe(text.slice(0, at), /[\s,;:–—-]+$/, () => safe``)}…`;
}

function endOfFirstSentence(title: string): number {
  for (const { index } of title.matchAll(sentenceEnd)) {
    const end = index + 1;
    if (end >= minSentence && !abbreviation.test(title.slice(0, end))) return end;
  }
  return title.length;
}
