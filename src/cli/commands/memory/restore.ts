import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { memoryJson } from "../../../memory/learning-actions.ts";
import { restoreAttempts } from "../../../memory/task-memory.ts";
import { difficultyOf, restoreArchivedMetrics } from "../../../strategy/task-metrics.ts";
import { getTask } from "../../../tasks/task-store.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { textOption } from "./input/options.ts";
import { withLearningActions } from "./input/with-learnings.ts";
import { labelOf } from "./view/render-memory.ts";

/** `ralph memory restore`. */
export const restore: CommandSpec = {
  name: "restore",
  summary: "restore archived learnings or a task's attempts",
  description:
    "Makes a pruned, removed or superseded learning available to prompts again and protects it from automatic pruning. With a task's id, restores its archived attempts and failure reports.",
  examples: ["ralph memory restore l-3fa9c1", "ralph memory restore t-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of a learning or a task" }],
  run: async (session, { args }) => {
    const id = textOption(args["id"]) ?? "";
    return withLearningActions(session, {}, async (actions, { db }) => {
      if (!id.startsWith("l-") && (await getTask(db, id))) {
        const now = session.clock.now();
        const rows = await db.transaction(async (tx) => {
          const metrics = await restoreArchivedMetrics(tx, id, now);
          return metrics + (await restoreAttempts(tx, id, await difficultyOf(tx, id), now));
        });
        if (rows === 0) {
          throw new RalphError(
            "RALPH_MEMORY_STATUS",
            `nothing to restore: task ${id} has no archived attempts`,
            {
              hint: `run \`ralph log ${id}\` to see its attempts`,
            },
          );
        }
        if (session.json) session.out(storedJson({ success: true, id, rows }));
        else session.out(safe`restored ${count(rows, "row")} of ${storedText(id)}`);
        return 0;
      }
      const learning = await actions.restore(id);
      if (session.json)
        session.out(storedJson({ success: true, id: learning.id, memory: memoryJson(learning) }));
      else session.out(safe`restored ${labelOf(learning)}`);
      if (learning.status === "quarantined")
        session.note(
          safe`hint: it was never approved, so it is quarantined; run \`ralph memory approve ${storedText(id)}\``,
        );
      return 0;
    });
  },
};
