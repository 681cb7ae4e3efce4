import { formatDuration } from "../../../base/duration.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { Attempt } from "../../../outcome/outcome-store.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import type { Paint } from "../../../ui/paint.ts";
import { utcMinute } from "../../project/health-lines.ts";
import { priorityName, shownTask, statusMark, taskLabel } from "./describe-task.ts";
import type { TaskView } from "./task-view.ts";

const nameWidth = 12;
const maxShownOthers = 10;

/** Returns the lines of `ralph task show`: non-empty fields, then texts, attempts and history. */
export function renderTask(paint: Paint, view: TaskView): readonly SafeText[] {
  const { task, parent, blockers, dependents, children, attempts, history } = view;
  const others = (tasks: readonly Task[]): readonly string[] => listOthers(paint, tasks);
  const finished = children.filter(({ status }) => status === "done").length;
  return [
    paint("bold", safe`${storedText(task.id)}  ${storedLine(task.title, 500)}`),
    ...field(paint, "status", [statusLine(paint, task)]),
    ...field(paint, "priority", [priorityName(task.priority)]),
    ...field(paint, "parent", parent ? others([parent]) : []),
    ...field(paint, "waits for", others(blockers)),
    ...field(paint, "blocks", others(dependents)),
    ...field(
      paint,
      "children",
      children.length > 0 ? [`${finished} of ${children.length} done`, ...others(children)] : [],
    ),
    ...field(paint, "tags", joined(task.tags)),
    ...field(paint, "files", joined(task.files)),
    ...field(
      paint,
      "verify",
      shownTask(task).verification.flatMap(({ run }) => block(run)),
    ),
    ...field(paint, "no change", task.allowNoChange ? ["accepted"] : []),
    ...field(paint, "red start", task.allowRed ? ["allowed"] : []),
    ...field(paint, "commit", task.commitTemplate === null ? [] : block(task.commitTemplate)),
    ...field(
      paint,
      "source",
      task.source ? [storedLine(`${task.source.path} (${task.source.key})`, 200)] : [],
    ),
    ...field(paint, "created", [utcMinute(task.createdAt)]),
    ...field(paint, "changed", task.updatedAt === task.createdAt ? [] : [utcMinute(task.updatedAt)]),
    ...section(paint, "description", block(task.description)),
    ...section(
      paint,
      "acceptance",
      task.acceptance.map((criterion) => `- ${storedLine(criterion, 1000)}`),
    ),
    ...section(paint, attemptsHead(task, attempts), attempts.map(attemptLine)),
    ...section(
      paint,
      "history",
      history.map(
        ({ message, timestamp }) => `${utcMinute(timestamp)}  ${storedLine(withoutReason(message), 300)}`,
      ),
    ),
  ];
}

/** Returns `name  value`, with further values below the first; no line without values. */
function field(paint: Paint, name: string, values: readonly string[]): readonly SafeText[] {
  return values.map(
    (value, at) =>
      safe`${paint("dim", storedText(at === 0 ? name : "").padEnd(nameWidth))}${storedText(value)}`,
  );
}

function section(paint: Paint, name: string, lines: readonly string[]): readonly SafeText[] {
  return lines.length > 0
    ? [safe``, paint("dim", storedText(name)), ...lines.map((line) => safe`  ${storedText(line)}`.trimEnd())]
    : [];
}

/** The attempts and the status show why a run released or blocked the task. */
function withoutReason(message: string): string {
  return message.replace(/^((?:released|blocked(?: \(\w+\))?) by run [^:\s]+): [\s\S]*$/, "$1");
}

function statusLine(paint: Paint, { status, blockCause, statusReason }: Task): string {
  const cause = blockCause === null ? "" : ` (${blockCause})`;
  const reason = statusReason === null ? "" : `: ${storedLine(statusReason, 1000)}`;
  return `${statusMark(paint, status)}${cause}${reason}`;
}

function listOthers(paint: Paint, tasks: readonly Task[]): readonly string[] {
  const lines = tasks
    .slice(0, maxShownOthers)
    .map((task) => `${statusMark(paint, task.status)} ${taskLabel(task)}`);
  return tasks.length > maxShownOthers ? [...lines, `and ${tasks.length - maxShownOthers} more`] : lines;
}

function joined(texts: readonly string[]): readonly string[] {
  return texts.length > 0 ? [texts.map((text) => storedLine(text, 200)).join(", ")] : [];
}

/** Returns a text as lines that are safe on a terminal; none for an empty text. */
function block(text: string): readonly string[] {
  const clean = storedText(text).trimEnd();
  return clean === "" ? [] : clean.split("\n");
}

function attemptsHead(task: Task, attempts: readonly Attempt[]): SafeText {
  const counted = attempts.filter(({ attempt }) => attempt > task.attemptsBefore).length;
  const old = attempts.length - counted;
  return safe`${count(attempts.length, "attempt")}${old > 0 ? safe`, ${old} of them before the last retry` : ""}`;
}

function attemptLine({
  attempt,
  outcome,
  verification,
  model,
  durationMs,
  costUsd,
  reason,
}: Attempt): string {
  const judged = verification === null ? outcome : `${outcome} (${verification.replace("_", " ")})`;
  const cost = costUsd === null ? "" : `, $${costUsd.toFixed(4)}`;
  const why = reason ? `: ${storedLine(reason, 300)}` : "";
  return `#${attempt} ${judged}, ${storedLine(model, 60)}, ${formatDuration(durationMs)}${cost}${why}`;
}
