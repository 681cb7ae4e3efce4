import { safe } from "../../../base/safe-text.ts";
import { addDependency, blockersOf, removeDependency } from "../../../tasks/graph/task-graph.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { textOption, textOptions } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { nextStep } from "./next-step.ts";

/** `ralph task depend`. */
export const command: CommandSpec = {
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
