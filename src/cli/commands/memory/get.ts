import type { CommandSpec } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { drawLearning, isAway } from "./draw-learning.ts";
import { memoryJson } from "./learning-json.ts";
import { withDesk, wordOf } from "./with-desk.ts";

/** `ralph memory get`. */
export const get: CommandSpec = {
  name: "get",
  summary: "show one memory",
  description:
    "Everything about one learning: what it says, where it came from, how it stands and what use it was.",
  examples: ["ralph memory get l-3fa9c1"],
  arguments: [{ name: "<id>", description: "its id" }],
  run: (session, { args }) =>
    withDesk(session, {}, async (desk) => {
      const learning = await desk.get(wordOf(args["id"]) ?? "");
      if (session.json) session.out(jsonLine({ success: true, memory: memoryJson(learning) }));
      else session.out(drawLearning(learning).join("\n"));
      if (isAway(learning)) session.note(`hint: ralph memory restore ${learning.id} brings it back`);
      session.note(`hint: ralph memory why ${learning.id} tells its whole life`);
      return 0;
    }),
};
