import { present } from "../../../base/json.ts";
import { safe } from "../../../base/safe-text.ts";
import { memoryJson } from "../../../memory/learning-actions.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { optionalText, printResult, textOption, usageError } from "../../shell/io.ts";
import { labelOf } from "./render-memory.ts";
import { learningActions, listOption } from "./with-collection.ts";

/** `ralph memory edit`. */
export const command: CommandSpec = {
  description:
    "Changes the given fields and keeps the others. A text longer than a lesson continues in the detail. `ralph memory why` shows earlier versions.",
  examples: [
    'ralph memory edit l-3fa9c1 --text "The parser needs UTC"',
    "ralph memory edit l-3fa9c1 --tags parser,dates",
  ],
  arguments: [{ name: "<id>", description: "id of the learning" }],
  options: [
    {
      flags: "--text <text>",
      description: "new text",
      whenBlank: "give the new text, or remove the learning with `ralph memory remove`",
    },
    { flags: "--detail <text>", description: "further detail, shown if there is room" },
    { flags: "--when <text>", description: "when it applies, in the words of a later task" },
    { flags: "--category <name>", description: "new category" },
    { flags: "--topic <name>", description: "topic to group it under" },
    { flags: "--tags <tags>", description: "new tags, separated by commas (replace the old ones)" },
  ],
  run: async (session, { args, options }) => {
    const [text, detail, when, category, topic] = ["text", "detail", "when", "category", "topic"].map(
      (name) => optionalText(options[name]),
    );
    const changes = {
      ...present({ text, detail, when, category }),
      ...(topic === undefined ? {} : { topic: topic || null }),
      ...(options["tags"] === undefined ? {} : { tags: listOption(options["tags"]) }),
    };
    if (Object.keys(changes).length === 0) {
      throw usageError("no changes were given", "run `ralph memory edit --help` to list the fields");
    }
    return withProject(session, {}, async (project) => {
      const actions = learningActions(session, project);
      const learning = await actions.edit(textOption(args["id"]), changes);
      const memory = memoryJson(learning);
      printResult(session, { success: true, memory }, safe`changed ${labelOf(learning)}`);
    });
  },
};
