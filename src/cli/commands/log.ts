import { RalphError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import { clip } from "../../base/text.ts";
import { recentRuns, runById } from "../../loop/run-store.ts";
import { getTask, requireTask } from "../../tasks/task-store.ts";
import { logRun, logRuns } from "../log/log-runs.ts";
import { logTask } from "../log/log-task.ts";
import type { CommandSpec, Project, Session } from "../shell/command.ts";

/** `ralph log`: what was tried, and what came of it. */
export const log: CommandSpec = {
  name: "log",
  summary: "what was tried, and what came of it",
  description:
    "Without an argument the latest runs; with a run's id its summary and attempts; with a task's id its whole history.",
  examples: [
    "ralph log            the latest runs",
    "ralph log run-1a2b   what one run came to, and its attempts",
    "ralph log t-3fa9c1   every attempt on one task, with its failure reports",
  ],
  arguments: [{ name: "[id]", description: "a task or a run" }],
  options: [
    { flags: "--run <id>", description: "this run" },
    { flags: "--last <n>", description: "how many runs (20)" },
  ],
  run: async (session, { args, options }) => {
    const project = await session.openProject();
    try {
      const [id, run] = [args["id"], options["run"]];
      if (typeof run === "string") await logNamed(session, project, { run });
      else if (typeof id === "string") await logNamed(session, project, { id });
      else await logRuns(session, project, Number(options["last"] ?? 20) || 20);
    } finally {
      await project.close();
    }
    return 0;
  },
};

/** A task may be called like anything, so it goes first. */
async function logNamed(
  session: Session,
  project: Project,
  wanted: { readonly id: string } | { readonly run: string },
): Promise<void> {
  const name = "id" in wanted ? wanted.id : wanted.run;
  const task = "id" in wanted ? await getTask(project.db, name) : undefined;
  if (task) return logTask(session, project, task);
  const run = await runById(project.db, name);
  if (run) return logRun(session, project, run);
  if ("id" in wanted && !name.startsWith("run-")) await requireTask(project.db, name);
  const known = (await recentRuns(project.db, 1000)).map(({ id }) => id);
  const meant = nearest(name, known);
  throw new RalphError("RALPH_RUN_UNKNOWN", `There is no run ${clip(name, 120)}.`, {
    hint: meant ? `did you mean ${meant}?` : "`ralph log` shows them",
  });
}
