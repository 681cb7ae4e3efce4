import { nearest } from "../../../base/nearest.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { priorityNames as names, type Task, type TaskStatus } from "../../../tasks/graph/task.ts";
import { hasSecretInCommand, secretInCommand } from "../../../tasks/graph/task-fields.ts";
import { redactedText } from "../../../trust/safe-text.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import { type Paint, painter, type Style } from "../../../ui/paint.ts";
import type { Invocation, OptionSpec, Session } from "../../shell/command.ts";
import { positiveInteger, usageError } from "../../shell/io.ts";

const marks: Readonly<Record<TaskStatus, readonly [string, Style | null]>> = {
  done: ["✓", "good"],
  in_progress: ["●", "info"],
  pending: ["○", null],
  failed: ["✗", "bad"],
  blocked: ["⊘", "warn"],
};

export function painterOf(session: Session): Paint {
  return painter(session.screen.colour);
}

/** Returns a symbol and a word (`✓ done`), padded to `width`, so that neither depends on colour or font. */
export function statusMark(paint: Paint, status: TaskStatus, width = 0): SafeText {
  const [mark, style] = marks[status];
  const text = safe`${storedText(mark)} ${storedText(status.replace("_", " "))}`.padEnd(width);
  return style ? paint(style, text) : text;
}

/** `t-3fa9c1 Parse dates`. */
export function taskLabel(task: Pick<Task, "id" | "title">): SafeText {
  return safe`${storedText(task.id)} ${storedLine(task.title, 80)}`;
}

/** `; also done: t-1, t-2`; "" for no tasks. */
export function alsoText(what: SafeText, tasks: readonly Pick<Task, "id">[]): SafeText {
  return tasks.length === 0 ? safe`` : safe`; ${what}: ${storedText(tasks.map(({ id }) => id).join(", "))}`;
}

/** Returns the terminal's width; infinity when stdout is not a terminal. */
export function lineWidth(session: Session): number {
  return session.screen.outIsTerminal ? Math.max(40, session.screen.columns) : Number.POSITIVE_INFINITY;
}

/** Returns the task as the screen shows it: the store keeps secrets in verification commands, because ralph runs them. */
export function shownTask(task: Task): Task {
  const verification = task.verification.map((command) => ({ ...command, run: redactedText(command.run) }));
  return { ...task, verification };
}

/** Warns about a verification command that cannot be stored without its secret. */
export function noteSecretInCommand(session: Session, task: Task): void {
  if (hasSecretInCommand(task)) session.note(safe`warning: ${secretInCommand}`);
}

/** Parses a priority: 0 for `critical` to 3 for `low`, or a number. Throws `RALPH_USAGE`. */
export function parsePriority(text: string): number {
  const at = names.indexOf(text.toLowerCase());
  if (at >= 0) return at;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const meant = nearest(text, names);
  throw usageError(
    `invalid --priority ${JSON.stringify(text)}: unknown priority`,
    meant ? `did you mean ${meant}?` : `use ${names.join(", ")} or a number from 0`,
  );
}

export function priorityName(priority: number): string {
  return names[priority] ?? String(priority);
}

/** Options of commands that may print thousands of lines. */
export const lengthOptions: readonly OptionSpec[] = [
  { flags: "--limit <lines>", description: "maximum number of lines" },
  { flags: "--all", description: "print every line, even on a terminal" },
];

/** A few screens. */
const linesOnTerminal = 100;

/** Returns the maximum number of lines: `--limit`, else 100 on a terminal and no limit elsewhere.
 *
 * @throws RalphError `RALPH_USAGE` for an invalid `--limit` */
export function lineLimit(session: Session, options: Invocation["options"]): number {
  const limit = positiveInteger(options["limit"], "--limit");
  if (limit !== undefined) return limit;
  return session.screen.outIsTerminal && options["all"] !== true ? linesOnTerminal : Number.POSITIVE_INFINITY;
}
