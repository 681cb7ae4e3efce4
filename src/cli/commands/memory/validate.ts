import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
import { iterationTask, textOption, withLearningActions } from "./input/with-actions.ts";
import { isArchived, labelOf } from "./view/draw-learning.ts";
import { memoryJson } from "./view/learning-json.ts";

/** `ralph memory validate`. */
export const validate: CommandSpec = {
  name: "validate",
  summary: "say that a memory still holds",
  description:
    "Its cited files are taken as they are now; it is stale no more, and young again where age counts.",
  examples: ["ralph memory validate l-3fa9c1"],
  arguments: [{ name: "<id>", description: "its id" }],
  run: async (session, { args }) => {
    return withLearningActions(session, {}, async (desk) => {
      const learning = await desk.validate(
        textOption(args["id"]) ?? "",
        iterationTask() !== null ? "agent" : "person",
      );
      if (session.json)
        session.out(jsonLine({ success: true, id: learning.id, memory: memoryJson(learning) }));
      else session.out(`holds: ${labelOf(learning)}`);
      const { status, id } = learning;
      if (isArchived(learning))
        session.note(`hint: it is ${status}, so in no prompt: ralph memory restore ${id} brings it back`);
      return 0;
    });
  },
};
