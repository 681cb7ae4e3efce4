import type { Outcome } from "../../outcome/outcome.ts";
import { isMessageRefused } from "../../outcome/refused-commit.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { type RunStop, stopWith } from "./stop-rules.ts";

/** Refusals in a row after which a hook is taken to refuse every message: one alone may be about a task's title. */
const maxRefused = 3;

/** Notes a judged attempt in `refused`, the tasks in a row whose commit message a hook refused. */
export function noteMessage(
  refused: string[],
  { task, outcome }: { readonly task: Task; readonly outcome: Outcome },
): void {
  if (task.commitTemplate !== null) return;
  if (isMessageRefused(outcome)) refused.push(task.id);
  else if (outcome.name === "done") refused.length = 0;
}

/**
 * Returns the end of a run in which a hook refuses every message: an attempt at `task` would be paid for, and its work not
 * be committed. Undefined: it may begin.
 */
export function stopForMessages(refused: readonly string[], task: Task): RunStop | undefined {
  if (refused.length < maxRefused || task.commitTemplate !== null) return undefined;
  const message = `a hook refused the commit messages of ${refused.length} tasks in a row, and would refuse the next`;
  const hint = `set commit.template in .ralph/config.yaml to what the hook accepts, such as "feat: {title}", then run: ralph task retry ${refused.join(" ")}`;
  return stopWith("stuck", message, hint);
}
