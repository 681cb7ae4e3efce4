import { runById } from "../../../loop/rows/run-store.ts";
import { getTask, requireTask } from "../../../tasks/graph/task-store.ts";
import { requireRun } from "../../project/require-run.ts";
import { type CommandSpec, type Project, type Session, withProject } from "../../shell/command.ts";
import { positiveInteger } from "../../shell/option-values.ts";
import { logRun, logRuns } from "./log-runs.ts";
import { logTask } from "./log-task.ts";

/** `ralph log`: runs and attempts with their results. */
export const command: CommandSpec = {
  description:
    "Without an argument, shows the latest runs, the newest last. With a run's id, shows its summary and attempts. With a task's id, shows its whole history.",
  examples: [
    "ralph log                  the latest runs, the newest last",
    "ralph log run-1a2b3c4d5e   one run with its summary and attempts",
    "ralph log t-3fa9c1         every attempt at one task, with its failure reports",
  ],
  arguments: [{ name: "[id]", description: "the id of a task or a run" }],
  options: [{ flags: "--last <n>", description: "number of runs to show (default: 20)" }],
  run: async (session, { args, options }) => {
    const last = positiveInteger(options["last"], "--last") ?? 20;
    return withProject(session, {}, async (project) => {
      const { id } = args;
      if (typeof id === "string") await logNamed(session, project, id);
      else await logRuns(session, project, last);
    });
  },
};

/** Looks for a task first, because a task may have any id, even that of a run. */
async function logNamed(session: Session, project: Project, id: string): Promise<void> {
  const task = await getTask(project.db, id);
  if (task) return logTask(session, project, task);
  if (!id.startsWith("run-") && !(await runById(project.db, id))) await requireTask(project.db, id);
  return logRun(session, project, await requireRun(project.db, id));
}
