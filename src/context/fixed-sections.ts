import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { fence } from "../trust/fence.ts";
import { safeText } from "../trust/safe-text.ts";
import finish from "./finish.md";
import optional from "./finish-optional.md";
import { cleanBlock, codeSpan, fillTemplate, inlineText } from "./inline-text.ts";
import journalText from "./journal.md";
import messagesLead from "./messages.md";
import nextModel from "./next-model.md";
import type { PromptRequest, ShownItem } from "./prompt.ts";
import subtasks from "./subtasks.md";
import configured from "./verification.md";
import none from "./verification-none.md";

/**
 * Documents exactly the active sigils (SIG-9), each optional one in a line. The examples stand within lines, so an echo of
 * the prompt is not a signal.
 */
export function finishSection(
  { task, instructions, models }: PromptRequest,
  { stuck }: { readonly stuck: boolean },
): SafeText {
  const items = [stuck ? subtasks.trim() : safe``, instructions.trim(), nextModelLine(models)].filter(
    Boolean,
  );
  const claims = fillTemplate(finish, { taskId: safeText(task.id) });
  return items.length > 0 ? safe`${claims}\n\n${joinSafe([optional.trim(), ...items], "\n")}` : claims;
}

function nextModelLine(models: readonly string[]): SafeText {
  const choice = [...new Set(models)].map((name) => inlineText(name, 60));
  return choice.length < 2 ? safe`` : fillTemplate(nextModel, { names: joinSafe(choice, "|") });
}

const mayChangeNothing = safe`A change is not required for this task.`;
const mustChangeSomething = safe`A done claim that changed nothing in the project counts as a failed attempt`;
const ifNoneNeeded = safe`${mustChangeSomething}, unless a line before it says why nothing needs to change: \`<no-change-needed>why</no-change-needed>\`.`;
const ifNoneCanBe = safe`${mustChangeSomething}: if nothing needs to change, claim failed and say why.`;

/** Describes how ralph verifies the work. */
export function verificationSection({ task, checks }: PromptRequest): SafeText {
  const must = checks.length > 0 ? ifNoneNeeded : ifNoneCanBe;
  const change = task.allowNoChange ? mayChangeNothing : must;
  const commands = joinSafe(checks.map(describeCommand), "\n");
  return checks.length > 0 ? fillTemplate(configured, { commands, change }) : fillTemplate(none, { change });
}

function describeCommand({ run, when = [] }: PromptRequest["checks"][number]): SafeText {
  const command = safe`- ${codeSpan(run, 1000)}`;
  if (when.length === 0) return command;
  const globs = when.map((glob) => codeSpan(glob, 200));
  return safe`${command} when a changed file matches ${joinSafe(globs, ", ")}`;
}

const messageChars = 10_000;

/**
 * The messages a person sent with `ralph message`. They are orders, not data: the fence only keeps their headings from
 * passing for the prompt's own. They follow the task because they may correct it.
 */
export function messagesSection({ messages, seed }: PromptRequest): SafeText {
  if (messages.length === 0) return safe``;
  const texts = messages.map(({ text }) => fence(cleanBlock(text, messageChars), seed));
  return joinSafe([messagesLead.trim(), ...texts], "\n\n");
}

export function shownMessages({ messages }: PromptRequest): readonly ShownItem[] {
  return messages.map(({ id, taskId, createdAt }) => {
    const recipient = taskId === null ? "the next task, whichever it is" : "this task";
    return { id, score: 1, reason: `a person's message of ${createdAt} for ${recipient}; shown once` };
  });
}

/** Longer than any path that a system accepts. */
const pathChars = 4096;

/** Names the journal and what belongs there, in every prompt: a page that nobody knows of stays empty (JOURNAL-4). */
export function journalSection({ journal }: PromptRequest): SafeText {
  if (!journal) return safe``;
  const { path, change } = journal;
  return fillTemplate(journalText, { path: codeSpan(path, pathChars), change: codeSpan(change, 120) });
}
