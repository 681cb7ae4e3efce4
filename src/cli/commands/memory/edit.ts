import { RalphError } from "../../../base/errors.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
import { listOption, refuseInsideIteration, textOption, withLearningActions } from "./input/with-actions.ts";
import { labelOf } from "./view/draw-learning.ts";
import { memoryJson } from "./view/learning-json.ts";

/** `ralph memory edit`. */
export const edit: CommandSpec = {
  name: "edit",
  summary: "change what a memory says",
  description:
    "Changes what is given and leaves the rest (a text longer than a lesson fills the detail too); `ralph memory why` keeps what it said before.",
  examples: [
    'ralph memory edit l-3fa9c1 --text "The parser needs UTC"',
    "ralph memory edit l-3fa9c1 --tags parser,dates",
  ],
  arguments: [{ name: "<id>", description: "its id" }],
  options: [
    { flags: "--text <text>", description: "the lesson" },
    { flags: "--detail <text>", description: "more, told where there is room" },
    { flags: "--category <name>", description: "its category" },
    { flags: "--topic <name>", description: "what it is grouped under" },
    { flags: "--tags <tags>", description: "its tags, in place of the old ones" },
  ],
  run: async (session, { args, options }) => {
    refuseInsideIteration("edit");
    const [text, detail, category, topic] = ["text", "detail", "category", "topic"].map((name) =>
      textOption(options[name]),
    );
    const changes = {
      ...(text === undefined ? {} : { text }),
      ...(detail === undefined ? {} : { detail }),
      ...(category === undefined ? {} : { category }),
      ...(topic === undefined ? {} : { topic: topic || null }),
      ...(options["tags"] === undefined ? {} : { tags: listOption(options["tags"]) }),
    };
    if (Object.keys(changes).length === 0 || text?.trim() === "") {
      throw new RalphError("RALPH_USAGE", "nothing to change was given", {
        hint: "ralph memory edit --help",
      });
    }
    return withLearningActions(session, {}, async (desk) => {
      const learning = await desk.edit(textOption(args["id"]) ?? "", changes);
      if (session.json) session.out(jsonLine({ success: true, memory: memoryJson(learning) }));
      else session.out(`changed ${labelOf(learning)}`);
      return 0;
    });
  },
};
