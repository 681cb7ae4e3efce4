import { formatDuration } from "../base/duration.ts";
import { joinSafe, replaceSafe, type SafeText, safe } from "../base/safe-text.ts";
import { count } from "../base/text.ts";
import { fence } from "../trust/fence.ts";
import { safeText } from "../trust/safe-text.ts";
import { cleanBlock, codeSpan, fillTemplate, inlineText, quotedLines } from "./inline-text.ts";
import type { FailedCommand, InterruptedWork, PromptRequest } from "./prompt.ts";
import rules from "./task-rules.md";

const taskChars = 20_000;

/**
 * The task and the rules for working on it. The text is fenced although a person ordered it: much of it is imported,
 * and headings in a description must not pass for the prompt's own sections.
 */
export function taskSection(request: PromptRequest): SafeText {
  const { task, attempt, root, leftovers, interrupted, failedBefore, seed } = request;
  const about = [
    ...(task.files.length > 0
      ? [`Files: ${task.files.map((file) => inlineText(file, 200)).join(", ")}`]
      : []),
    ...(task.tags.length > 0 ? [`Tags: ${task.tags.map((tag) => inlineText(tag, 60)).join(", ")}`] : []),
  ];
  const text = [task.title, task.description, about.join("\n")].filter((part) => part.trim()).join("\n\n");
  const kept =
    leftovers && attempt > 1 && interrupted === null
      ? safe`\n- Changes of earlier attempts are still in the working folder. Keep what is right.`
      : safe``;
  return fillTemplate(rules, {
    task: codeSpan(task.id, 80),
    attempt: safe`${attempt}`,
    text: fence(cleanBlock(text, taskChars), seed),
    root: codeSpan(root, 400),
    kept: safe`${limitsText(request)}${kept}${interruptedText(interrupted, leftovers && attempt > 1)}${failedText(failedBefore)}`,
  });
}

/** `30m`, not `30m 00s`. */
function duration(ms: number): SafeText {
  return replaceSafe(formatDuration(ms), / 00[sm]$/, () => safe``);
}

/** Names the time of this attempt and of the run, and the number of attempts that may follow it. */
function limitsText({ attemptsLeft, timeoutMs, runEndsInMs }: PromptRequest): SafeText {
  const endsFirst = runEndsInMs !== null && (timeoutMs === null || runEndsInMs <= timeoutMs);
  const attemptTime =
    timeoutMs === null || endsFirst ? [] : [safe`this attempt is stopped after ${duration(timeoutMs)}`];
  const runTime = runEndsInMs === null ? [] : [safe`the run ends in ${duration(runEndsInMs)}`];
  const time = [...attemptTime, ...runTime];
  const attempts =
    attemptsLeft === null
      ? []
      : [
          attemptsLeft > 0
            ? safe`${count(attemptsLeft, "attempt")} left after it`
            : safe`it is the last attempt`,
        ];
  const parts = joinSafe([...time, ...attempts], "; ");
  return parts === "" ? safe`` : safe`\n- Limits: ${parts}.`;
}

const errorChars = 800;

/** The output is quoted: the code that earlier tasks left may have written it. */
function failedText(failed: FailedCommand | null): SafeText {
  if (!failed) return safe``;
  const { command, reason, excerpt } = failed;
  return joinSafe(
    [
      safe`\n- Verification failed before this attempt, without your changes. The task is done only when it passes:`,
      safe`  - ${codeSpan(command, 200)}: ${inlineText(reason, 200)}`,
      ...quotedLines(excerpt, errorChars),
    ],
    "\n",
  );
}

const maxFiles = 20;

function interruptedText(work: InterruptedWork | null, leftovers: boolean): SafeText {
  if (!work) return safe``;
  const { reason, commits, changes } = work;
  const committed = commits > 0 ? safe` (partly committed, in ${count(commits, "commit")})` : "";
  const lines = changes
    .slice(0, maxFiles)
    .map((change) => safe`  - ${codeSpan(change.path, 200)} ${statOf(change)}`);
  const more = changes.length > maxFiles ? [safe`  - and ${changes.length - maxFiles} more`] : [];
  const whose = leftovers ? safe`Its changes and those of earlier attempts` : safe`Its changes`;
  const head = safe`\n- The last session on this task was interrupted: ${safeText(reason)}. ${whose} are in the working folder${committed} and are not verified. Read them first and continue from there. Do not make the same change twice:`;
  return joinSafe([head, ...lines, ...more], "\n");
}

function statOf({ kind, added, removed }: InterruptedWork["changes"][number]): SafeText {
  if (kind === "deleted") return safe`deleted`;
  const lines = added === null || removed === null ? safe`not text` : safe`+${added} -${removed}`;
  return kind === "new" ? safe`new, ${lines}` : lines;
}

/** The acceptance criteria in their author's words, one line each; fenced as the rest of the task's text. */
export function acceptanceSection({ task, seed }: PromptRequest): SafeText {
  if (task.acceptance.length === 0) return safe``;
  const lines = task.acceptance.map((criterion) => safe`- ${inlineText(criterion, 1000)}`);
  return safe`### Acceptance Criteria\n\n${fence(joinSafe(lines, "\n"), seed)}`;
}
