import { safe } from "../../../base/safe-text.ts";
import { lastAttempt } from "../../../outcome/outcome-store.ts";
import { resetMetrics } from "../../../strategy/task-metrics.ts";
import { splitTask } from "../../../tasks/graph/task-transitions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { textOption, textOptions } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { shownTask } from "./describe-task.ts";

/** `ralph task split`. */
export const command: CommandSpec = {
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
