import { safe } from "../../../base/safe-text.ts";
import { memoryJson } from "../../../memory/learning-actions.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { refuseInsideIteration, textOption, withLearningActions } from "./input/with-actions.ts";
import { labelOf } from "./view/render-memory.ts";

/** `ralph memory remove`. */
export const remove: CommandSpec = {
  name: "remove",
  summary: "archive a learning (undo: memory restore)",
  description:
    "Archives a learning, so prompts no longer show it. `ralph memory restore` restores it; `ralph memory purge` deletes it permanently.",
  examples: ["ralph memory remove l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of the learning" }],
  run: async (session, { args }) => {
    refuseInsideIteration("remove");
    return withLearningActions(session, {}, async (actions) => {
      const { learning, isNew } = await actions.remove(textOption(args["id"]) ?? "", "person");
      if (session.json)
        session.out(storedJson({ success: true, id: learning.id, memory: memoryJson(learning) }));
      else
        session.out(
          isNew ? safe`archived ${labelOf(learning)}` : safe`already archived: ${labelOf(learning)}`,
        );
      session.note(safe`hint: run \`ralph memory restore ${storedText(learning.id)}\` to restore it`);
      return 0;
    });
  },
};
