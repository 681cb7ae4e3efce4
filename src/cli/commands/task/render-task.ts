import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { Attempt } from "../../../outcome/outcome-store.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import type { TaskLogLine } from "../../../tasks/graph/task-log-store.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import type { Paint } from "../../../ui/paint.ts";
import { utc } from "../../../view/format.ts";
import { priorityName, shownTask, statusMark, taskLabel } from "./describe-task.ts";

/** A task with its relatives, attempts and changes of status. */
export interface TaskView {
  readonly task: Task;
  readonly parent: Task | undefined;
  readonly blockers: readonly Task[];
  readonly dependents: readonly Task[];
  readonly children: readonly Task[];
  readonly attempts: readonly Attempt[];
  readonly history: readonly TaskLogLine[];
}

const nameWidth = 12;
const maxShownOthers = 10;

/** Returns the lines of `ralph task show`: non-empty fields, then texts. `ralph log ID` shows the attempts. */
export function renderTask(paint: Paint, view: TaskView): readonly SafeText[] {
  const { task, parent, blockers, dependents, children, attempts } = view;
  const others = (tasks: readonly Task[]): readonly string[] => listOthers(paint, tasks);
  const old = attempts.filter(({ attempt }) => attempt <= task.attemptsBefore).length;
  const finished = children.filter(({ status }) => status === "done").length;
  const fields: Readonly<Record<string, readonly string[]>> = {
    status: [statusLine(paint, task)],
    priority: [priorityName(task.priority)],
    parent: parent ? others([parent]) : [],
    "waits for": others(blockers),
    blocks: others(dependents),
    children: children.length > 0 ? [`${finished} of ${children.length} done`, ...others(children)] : [],
    tags: joined(task.tags),
    files: joined(task.files),
    verify: shownTask(task).verification.flatMap(({ run }) => block(run)),
    "no change": task.allowNoChange ? ["accepted"] : [],
    "red start": task.allowRed ? ["allowed"] : [],
    commit: block(task.commitTemplate ?? ""),
    source: task.source ? [storedLine(`${task.source.path} (${task.source.key})`, 200)] : [],
    attempts:
      attempts.length > 0
        ? [`${attempts.length}${old > 0 ? `, ${old} of them before the last retry` : ""}`]
        : [],
    created: [utc(task.createdAt)],
    changed: task.updatedAt === task.createdAt ? [] : [utc(task.updatedAt)],
  };
  return [
    paint("bold", safe`${storedText(task.id)}  ${storedLine(task.title, 500)}`),
    ...Object.entries(fields).flatMap(([name, values]) => field(paint, name, values)),
    ...section(paint, "description", block(task.description)),
    ...section(
      paint,
      "acceptance",
      task.acceptance.map((criterion) => `- ${storedLine(criterion, 1000)}`),
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
