import { joinSafe, safe } from "../../../base/safe-text.ts";
import { attemptsOf } from "../../../outcome/outcome-store.ts";
import type { Reader } from "../../../store/port/db.ts";
import { blockersByTask } from "../../../tasks/graph/task-graph.ts";
import { readTaskLog } from "../../../tasks/graph/task-log-store.ts";
import { listTasks, requireTask } from "../../../tasks/graph/task-store.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { printResult, textOption } from "../../shell/io.ts";
import { painterOf, shownTask } from "./describe-task.ts";
import { renderTask, type TaskView } from "./render-task.ts";

/** `ralph task show`. */
export const command: CommandSpec = {
  description: "Shows a task's fields and dependencies. `ralph log ID` shows its attempts.",
  arguments: [{ name: "<id>", description: "the task" }],
  run: inProject(async (session, { db }, { args }) => {
    const view = await readTaskView(db, textOption(args["id"]));
    printResult(session, asJson(view), joinSafe(renderTask(painterOf(session), view), "\n"));
    if (view.attempts.length > 0)
      session.note(safe`hint: run \`ralph log ${storedText(view.task.id)}\` for its failure reports`);
  }),
};

function asJson({ task, blockers, dependents, children, attempts, history }: TaskView): object {
  const ids = (tasks: TaskView["blockers"]): readonly string[] => tasks.map(({ id }) => id);
  return {
    ...shownTask(task),
    blockedBy: ids(blockers),
    blocks: ids(dependents),
    children: ids(children),
    attempts: attempts.length,
    outcomes: attempts.map(({ attempt, model, outcome, verification, reason, durationMs, costUsd }) => ({
      attempt,
      model,
      outcome,
      verification,
      reason,
      durationMs,
      costUsd,
    })),
    history,
  };
}

async function readTaskView(q: Reader, id: string): Promise<TaskView> {
  const task = await requireTask(q, id);
  const tasks = await listTasks(q);
  const blockersOf = await blockersByTask(q);
  const blockers = new Set(blockersOf(id));
  return {
    task,
    parent: tasks.find((other) => other.id === task.parentId),
    blockers: tasks.filter((other) => blockers.has(other.id)),
    dependents: tasks.filter((other) => blockersOf(other.id).includes(id)),
    children: tasks.filter((other) => other.parentId === id),
    attempts: await attemptsOf(q, id),
    history: await readTaskLog(q, id),
  };
}
