import type { CommandSpec } from "../../shell/command.ts";
import { withProject } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";
import { explainTask } from "./explain-task.ts";
import { showTable } from "./show-table.ts";

/** `ralph strategy` and `ralph strategy explain TASK` (STRAT-5). */
export const command: CommandSpec = {
  description:
    "Shows what each model's verified tasks cost, over all recorded attempts; the interval holds 95%. `explain` shows why a task's attempts got their models, and what its next one would cost. Changes nothing.",
  examples: ["ralph strategy", "ralph strategy explain 7.2", "ralph strategy --json"],
  arguments: [
    { name: "[action]", description: "explain", choices: ["explain"] },
    { name: "[task]", description: "the task's id" },
  ],
  run: async (session, { args }) => {
    const { action, task } = args;
    if (action !== undefined && action !== "explain")
      throw usageError(`unknown action: ralph strategy ${String(action)}`, "use explain TASK");
    if (action === "explain" && task === undefined)
      throw usageError("ralph strategy explain needs a task", "ralph task list shows the ids");
    return withProject(session, {}, (project) =>
      task === undefined ? showTable(session, project) : explainTask(session, project, String(task)),
    );
  },
};
