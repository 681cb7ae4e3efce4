import { joinSafe, safe } from "../../../base/safe-text.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { textOption } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { painterOf, shownTask } from "./describe-task.ts";
import { renderTask } from "./render-task.ts";
import { readTaskView, type TaskView } from "./task-view.ts";

/** `ralph task show`. */
export const command: CommandSpec = {
  description: "Shows a task's fields, dependencies, attempts and history.",
  arguments: [{ name: "<id>", description: "the task" }],
  run: async (session, { args }) =>
    withProject(session, {}, async ({ db }) => {
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
