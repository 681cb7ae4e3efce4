import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { Task, TaskStatus } from "../../../tasks/graph/task.ts";
import { hasSecretInCommand, secretInCommand } from "../../../tasks/graph/task-fields.ts";
import { redactedText } from "../../../trust/safe-text.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import { type Paint, painter, type Style } from "../../../ui/paint.ts";
import type { Session } from "../../shell/command.ts";

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

/** Returns stored text as one line that is safe on a terminal. */
export function plainLine(text: string, max: number): SafeText {
  return storedLine(text, max);
}

/** `t-3fa9c1 Parse dates`. */
export function taskLabel(task: Pick<Task, "id" | "title">): SafeText {
  return safe`${storedText(task.id)} ${plainLine(task.title, 80)}`;
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
