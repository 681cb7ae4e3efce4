import { RalphError } from "../../../base/errors.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { skippedReason } from "../../../tasks/graph/claim-store.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { blockTask } from "../../../tasks/graph/task-transitions.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject, type Project } from "../../shell/command.ts";
import { textOptions } from "../../shell/option-values.ts";
import { agentAtWork, stopStep } from "./agent-at-work.ts";
import { shownTask, taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";

/** `ralph task skip` (TASK-10). */
export const command: CommandSpec = {
  description:
    "Blocks tasks with the reason `skipped`. Tasks that depend on them wait. If an agent is working on a task, its result will not count. `ralph task retry` reopens a task.",
  examples: ["ralph task skip t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: inProject(async (session, { db }, { args }) => {
    let hint: SafeText | undefined;
    for (const id of textOptions(args["ids"])) {
      const agent = await agentAtWork(db, id);
      const task = await skipOne(db, id, session.clock.now());
      session.out(session.json ? storedJson(shownTask(task)) : safe`skipped ${taskLabel(task)}`);
      if (agent !== undefined) {
        session.note(safe`note: ${agent}`);
        hint = stopStep;
      }
    }
    session.note(safe`hint: ${hint ?? (await nextStep(db))}`);
  }),
};

async function skipOne(db: Project["db"], id: string, now: Date): Promise<Task> {
  return db.transaction(async (tx) => {
    const { status } = await requireTask(tx, id);
    if (status === "done") {
      throw new RalphError("RALPH_TASK_CLOSED", `task ${id} is done: only an open task can be skipped`);
    }
    await blockTask(tx, id, { cause: "person", reason: skippedReason }, now);
    return requireTask(tx, id);
  });
}
