import { safe } from "../../../base/safe-text.ts";
import { memoryJson } from "../../../memory/learning-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { textOption } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { validateRecord } from "./hivemind-records.ts";
import { isArchived, labelOf } from "./render-memory.ts";
import { collectionOption, inScope, learningActions, withCollection } from "./with-collection.ts";

/** `ralph memory validate`. */
export const command: CommandSpec = {
  description:
    "Accepts the current content of its cited files, clears the stale flag and resets its age. Of a record of the hivemind (h-…), resets the age.",
  examples: ["ralph memory validate l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of the learning or record" }],
  options: [collectionOption],
  run: async (session, { args, options }) => {
    const id = textOption(args["id"]);
    return withCollection(
      session,
      { args, options },
      {
        hivemind: (records) => validateRecord(session, records, id),
        project: async (project) => {
          const actions = learningActions(session, project);
          await inScope(actions, id, options);
          const learning = await actions.validate(id, session.iteration ? "agent" : "person");
          printResult(
            session,
            { success: true, id: learning.id, memory: memoryJson(learning) },
            safe`validated ${labelOf(learning)}`,
          );
          const { status } = learning;
          if (isArchived(learning))
            session.note(
              safe`hint: it is ${status} and not shown in prompts; run \`ralph memory restore ${storedText(id)}\` to restore it`,
            );
        },
      },
    );
  },
};
