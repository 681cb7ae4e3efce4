import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { lastAttempt } from "../../../outcome/outcome-store.ts";
import type { Tx } from "../../../store/port/db.ts";
import { resetMetrics } from "../../../strategy/task-metrics.ts";
import {
  addDependency,
  blockersOf,
  removeDependency,
  removeUnbegun,
} from "../../../tasks/graph/task-graph.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { splitTask } from "../../../tasks/graph/task-transitions.ts";
import { isListed } from "../../../tasks/write-back.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { printResult, textOption, textOptions } from "../../shell/io.ts";
import { shownTask, taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";

export const depend: CommandSpec = {
  description:
    "The task becomes ready only when its blockers are done. A dependency cycle is rejected, with its path.",
  examples: ["ralph task depend t-000002 t-000001", "ralph task depend t-000002 t-000001 --remove"],
  arguments: [
    { name: "<id>", description: "the task that waits" },
    { name: "<blockers...>", description: "the tasks that it waits for" },
  ],
  options: [{ flags: "--remove", description: "remove these dependencies" }],
  run: async (session, { args, options }) => {
    const taskId = textOption(args["id"]);
    const change = options["remove"] === true ? removeDependency : addDependency;
    return withProject(session, {}, async ({ db }) => {
      const blockers = await db.transaction(async (tx) => {
        for (const blockerId of textOptions(args["blockers"])) {
          await change(tx, { taskId, blockerId }, session.clock.now());
        }
        return blockersOf(tx, taskId);
      });
      printResult(
        session,
        { id: taskId, blockedBy: blockers },
        blockers.length > 0
          ? safe`${storedText(taskId)} waits for ${storedText(blockers.join(", "))}`
          : safe`${storedText(taskId)} waits for nothing`,
      );
      session.note(safe`hint: ${await nextStep(db)}`);
    });
  },
};

export const split: CommandSpec = {
  description: "Adds children in this order. The task waits for them and is done when they are.",
  examples: ['ralph task split t-3fa9c1 "Parse the date" "Parse the zone"'],
  arguments: [
    { name: "<id>", description: "the task" },
    { name: "<titles...>", description: "the smaller tasks" },
  ],
  run: async (session, { args }) => {
    const id = textOption(args["id"]);
    return withProject(session, {}, async ({ db }) => {
      const parts = await db.transaction(async (tx) => {
        const now = session.clock.now();
        const children = await splitTask(
          tx,
          id,
          textOptions(args["titles"]).map((title) => ({ title })),
          now,
          { attemptsBefore: await lastAttempt(tx, id) },
        );
        await resetMetrics(tx, id);
        return children;
      });
      printResult(
        session,
        parts.map(shownTask),
        safe`split ${storedText(id)} into ${storedText(parts.map((task) => task.id).join(", "))}`,
      );
      session.note(safe`hint: run \`ralph task tree ${storedText(id)}\``);
    });
  },
};

export const remove: CommandSpec = {
  description:
    "Deletes tasks. Tasks that depend on them no longer wait. A task that a run has worked on keeps its history: use `ralph task skip`. A task of an imported file is deleted in that file.",
  examples: ["ralph task remove t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: async (session, { args }) => {
    const ids = textOptions(args["ids"]);
    return withProject(session, {}, async ({ db, root }) => {
      const removed = await db.transaction(async (tx) => {
        for (const id of ids) await refuseListed(tx, root, id);
        return removeUnbegun(tx, ids, session.clock.now());
      });
      if (session.json) session.out(storedJson({ removed }));
      else for (const task of removed) session.out(safe`removed ${taskLabel(task)}`);
      session.note(safe`hint: ${await nextStep(db)}`);
    });
  },
};

/** The next comparison with its file would add the task again. */
async function refuseListed(tx: Tx, root: string, id: string): Promise<void> {
  const task = await requireTask(tx, id);
  if (!task.source || !(await isListed(root, task))) return;
  const { path } = task.source;
  throw new RalphError("RALPH_TASK_LISTED", `cannot remove ${id}: it is an item of ${path}`, {
    hint: `delete it in ${path} and run \`ralph task sync\`, or run \`ralph task skip ${id}\``,
  });
}
