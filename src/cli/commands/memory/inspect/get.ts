import { joinSafe, safe } from "../../../../base/safe-text.ts";
import { memoryJson } from "../../../../memory/learning-actions.ts";
import { storedJson, storedText } from "../../../../trust/stored-text.ts";
import type { CommandSpec } from "../../../shell/command.ts";
import { textOption, withLearningActions } from "../input/with-actions.ts";
import { isArchived, renderLearningLines } from "../view/render-memory.ts";

/** `ralph memory get`. */
export const get: CommandSpec = {
  name: "get",
  summary: "show one learning",
  description: "Shows a learning's text, origin, status and how useful it has been.",
  examples: ["ralph memory get l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of the learning" }],
  run: (session, { args }) =>
    withLearningActions(session, {}, async (actions) => {
      const learning = await actions.get(textOption(args["id"]) ?? "");
      if (session.json) session.out(storedJson({ success: true, memory: memoryJson(learning) }));
      else session.out(joinSafe(renderLearningLines(learning), "\n"));
      if (isArchived(learning))
        session.note(safe`hint: run \`ralph memory restore ${storedText(learning.id)}\` to restore it`);
      session.note(safe`hint: run \`ralph memory why ${storedText(learning.id)}\` for its history`);
      return 0;
    }),
};
