import { existsSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { RalphError } from "../../base/errors.ts";
import { findProject, findProjectWithStore } from "../../config/find-project.ts";
import { noTasks } from "../run/no-tasks.ts";
import { runFlags, settingFlags } from "../run/run-flags.ts";
import type { RunView } from "../run/watch-run.ts";
import type { CommandSpec, Invocation, Project, Session } from "../shell/command.ts";

/** `ralph run`: works through the tasks. */
export const command: CommandSpec = {
  description:
    "Runs the agent on one ready task after another, each in a fresh session, verifies the work, commits what passed and remembers what failed. Press Ctrl-C to stop cleanly; run it again to continue. Exit codes: 0 all tasks done, 1 a task failed, 3 tasks left, 4 needs a person, 5 environment, 130 Ctrl-C (`ralph help exit-codes`).",
  examples: [
    "ralph run                              all ready tasks",
    "ralph run t-3fa9c1 --once              one iteration on one task",
    "ralph run --agent claude --model opus --budget-usd 5",
    "ralph run --dry-run                    print the exact prompt and command, run nothing",
  ],
  arguments: [{ name: "[tasks...]", description: "only these tasks" }],
  options: runFlags,
  run: async (session, invocation) => {
    compileAtFirstCall();
    const dryRun = invocation.options["dryRun"] === true;
    const watches = invocation.options["watch"] === true && !dryRun;
    const whole = watches ? await viewOnScreen(session, invocation) : null;
    const importsTasks =
      invocation.options["spec"] !== undefined || invocation.options["change"] !== undefined;
    const flags = settingFlags(invocation.options);
    const project = await openForRun(session, { create: importsTasks && !dryRun, flags });
    try {
      const { completeIndex } = await import("../../memory/repair-index.ts");
      await completeIndex(project.db);
      const { prepareRun } = await import("../run/prepare-run.ts");
      const prepared = await prepareRun(session, project, invocation);
      if (dryRun) {
        await (await import("../run/dry-run.ts")).dryRun(session, prepared);
        return 0;
      }
      const { runInProcess } = await import("../run/run-in-process.ts");
      const view = { hints: true, whole };
      return await runInProcess(session, prepared, view).finally(() => prepared.workspace.shell?.end());
    } finally {
      await project.close();
    }
  },
};

async function viewOnScreen(session: Session, { options }: Invocation): Promise<RunView["whole"]> {
  const { openLiveView, requireTerminal } = await import("../view/live-view.ts");
  requireTerminal(session, "ralph run --watch", "leave out --watch, or run it in a terminal without --json");
  return { open: openLiveView, options };
}

/**
 * Makes V8 compile a function when it is first called. Else it interprets one for hundreds of calls, and few functions of an
 * iteration get so many: the time between two agents is about a tenth shorter (docs/benchmarks.md).
 */
function compileAtFirstCall(): void {
  setFlagsFromString("--always-sparkplug");
}

/** Opens the project. A missing store means "no tasks" in a project that was never used, and an error in any other. */
async function openForRun(session: Session, wanted: Parameters<Session["openProject"]>[0]): Promise<Project> {
  try {
    return await session.openProject({ ...wanted, own: true, patient: true });
  } catch (error) {
    const root = findProject(session.cwd)?.root;
    const unused = root !== undefined && !existsSync(join(root, ".ralph", "events.jsonl"));
    if (unused && error instanceof RalphError && error.code === "RALPH_STORE_MISSING")
      throw noTasks(root, findProjectWithStore(session.cwd)?.root);
    throw error;
  }
}
