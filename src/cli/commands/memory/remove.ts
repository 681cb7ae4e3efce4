import { safe } from "../../../base/safe-text.ts";
import { memoryJson } from "../../../memory/learning-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { textOption } from "../../shell/option-values.ts";
import { printResult } from "../../shell/print-result.ts";
import { removeRecord } from "./hivemind-records.ts";
import { labelOf } from "./render-memory.ts";
import { collectionOption, inScope, learningActions, withCollection } from "./with-collection.ts";

/** `ralph memory remove`. */
export const command: CommandSpec = {
  description:
    "Archives a learning, so prompts no longer show it. `ralph memory restore` restores it; `ralph memory purge` deletes it permanently. A record of the hivemind (h-…) is deleted at once, for all projects.",
  examples: ["ralph memory remove l-3fa9c1", "ralph memory remove h-3fa9c1d2e4b5"],
  arguments: [{ name: "<id>", description: "id of the learning or record" }],
  options: [collectionOption],
  run: async (session, { args, options }) => {
    const id = textOption(args["id"]);
    return withCollection(
      session,
      { args, options },
      {
        hivemind: (records) => removeRecord(session, records, id),
        project: async (project) => {
          const actions = learningActions(session, project);
          await inScope(actions, id, options);
          const { learning, isNew } = await actions.remove(id, "person");
          printResult(
            session,
            { success: true, id: learning.id, memory: memoryJson(learning) },
            isNew ? safe`archived ${labelOf(learning)}` : safe`already archived: ${labelOf(learning)}`,
          );
          session.note(safe`hint: run \`ralph memory restore ${storedText(learning.id)}\` to restore it`);
        },
      },
    );
  },
};
