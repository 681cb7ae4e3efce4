import { safe } from "../../../base/safe-text.ts";
import { memoryJson } from "../../../memory/learning-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { textOption } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { labelOf } from "./render-memory.ts";
import { withLearningActions } from "./with-collection.ts";

/** `ralph memory restore`. */
export const command: CommandSpec = {
  description:
    "Makes a pruned, removed or superseded learning available to prompts again and protects it from automatic pruning.",
  examples: ["ralph memory restore l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of a learning" }],
  run: async (session, { args }) => {
    const id = textOption(args["id"]);
    return withLearningActions(session, {}, async (actions) => {
      const learning = await actions.restore(id);
      printResult(
        session,
        { success: true, id: learning.id, memory: memoryJson(learning) },
        safe`restored ${labelOf(learning)}`,
      );
      if (learning.status === "quarantined")
        session.note(
          safe`hint: it was never approved, so it is quarantined; run \`ralph memory approve ${storedText(id)}\``,
        );
    });
  },
};
