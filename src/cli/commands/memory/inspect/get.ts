import type { CommandSpec } from "../../../shell/command.ts";
import { jsonLine } from "../../../shell/json-line.ts";
import { textOption, withLearningActions } from "../input/with-actions.ts";
import { drawLearning, isArchived } from "../view/draw-learning.ts";
import { memoryJson } from "../view/learning-json.ts";

/** `ralph memory get`. */
export const get: CommandSpec = {
  name: "get",
  summary: "show one memory",
  description:
    "Everything about one learning: what it says, where it came from, how it stands and what use it was.",
  examples: ["ralph memory get l-3fa9c1"],
  arguments: [{ name: "<id>", description: "its id" }],
  run: (session, { args }) =>
    withLearningActions(session, {}, async (desk) => {
      const learning = await desk.get(textOption(args["id"]) ?? "");
      if (session.json) session.out(jsonLine({ success: true, memory: memoryJson(learning) }));
      else session.out(drawLearning(learning).join("\n"));
      if (isArchived(learning)) session.note(`hint: ralph memory restore ${learning.id} brings it back`);
      session.note(`hint: ralph memory why ${learning.id} tells its whole life`);
      return 0;
    }),
};
