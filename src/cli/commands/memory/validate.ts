import type { CommandSpec } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { isAway, named } from "./draw-learning.ts";
import { memoryJson } from "./learning-json.ts";
import { iterationTask, withDesk, wordOf } from "./with-desk.ts";

/** `ralph memory validate`. */
export const validate: CommandSpec = {
  name: "validate",
  summary: "say that a memory still holds",
  description:
    "Its cited files are taken as they are now; it is stale no more, and young again where age counts.",
  examples: ["ralph memory validate l-3fa9c1"],
  arguments: [{ name: "<id>", description: "its id" }],
  run: async (session, { args }) => {
    return withDesk(session, {}, async (desk) => {
      const learning = await desk.validate(
        wordOf(args["id"]) ?? "",
        iterationTask() !== null ? "agent" : "person",
      );
      if (session.json)
        session.out(jsonLine({ success: true, id: learning.id, memory: memoryJson(learning) }));
      else session.out(`holds: ${named(learning)}`);
      const { status, id } = learning;
      if (isAway(learning))
        session.note(`hint: it is ${status}, so in no prompt: ralph memory restore ${id} brings it back`);
      return 0;
    });
  },
};
