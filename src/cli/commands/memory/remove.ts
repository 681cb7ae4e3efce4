import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
import { refuseInsideIteration, textOption, withLearningActions } from "./input/with-actions.ts";
import { labelOf } from "./view/draw-learning.ts";
import { memoryJson } from "./view/learning-json.ts";

/** `ralph memory remove`. */
export const remove: CommandSpec = {
  name: "remove",
  summary: "put a memory away",
  description:
    "No prompt shows it any more. Nothing is lost: ralph memory restore brings it back; ralph memory purge takes it out for good.",
  examples: ["ralph memory remove l-3fa9c1"],
  arguments: [{ name: "<id>", description: "its id" }],
  run: async (session, { args }) => {
    refuseInsideIteration("remove");
    return withLearningActions(session, {}, async (desk) => {
      const { learning, isNew } = await desk.remove(textOption(args["id"]) ?? "", "person");
      if (session.json)
        session.out(jsonLine({ success: true, id: learning.id, memory: memoryJson(learning) }));
      else session.out(isNew ? `put away ${labelOf(learning)}` : `${labelOf(learning)} was put away already`);
      session.note(`hint: ralph memory restore ${learning.id} brings it back`);
      return 0;
    });
  },
};
