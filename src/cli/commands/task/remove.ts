import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import type { Tx } from "../../../store/port/db.ts";
import { removeUnbegun } from "../../../tasks/graph/task-graph.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { isListed } from "../../../tasks/write-back.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { textOptions } from "../../shell/option-values.ts";
import { taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";

/** `ralph task remove` (TASK-10). */
export const command: CommandSpec = {
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
