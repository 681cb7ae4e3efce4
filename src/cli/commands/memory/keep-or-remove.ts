import { safe } from "../../../base/safe-text.ts";
import { type LearningView, memoryJson } from "../../../memory/learning-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject, type Session } from "../../shell/command.ts";
import { printResult, textOption } from "../../shell/io.ts";
import { removeRecord, validateRecord } from "./hivemind-records.ts";
import { isArchived, labelOf } from "./render-memory.ts";
import { collectionOption, inCollection, inScope, learningActions } from "./with-collection.ts";

/** `ralph memory remove`. */
export const remove: CommandSpec = {
  description:
    "Archives a learning, so prompts no longer show it. `ralph memory restore` restores it; `ralph memory purge` deletes it permanently. A record of the hivemind (h-…) is deleted at once, for all projects.",
  examples: ["ralph memory remove l-3fa9c1", "ralph memory remove h-3fa9c1d2e4b5"],
  arguments: [{ name: "<id>", description: "id of the learning or record" }],
  options: [collectionOption],
  run: inCollection({
    hivemind: removeRecord,
    project: async (session, project, id, options) => {
      const actions = learningActions(session, project);
      await inScope(actions, id, options);
      const { learning, isNew } = await actions.remove(id, "person");
      print(session, isNew ? "archived" : "already archived:", learning);
      session.note(safe`hint: run \`ralph memory restore ${storedText(learning.id)}\` to restore it`);
    },
  }),
};

/** `ralph memory restore` (LEARN-12). */
export const restore: CommandSpec = {
  description:
    "Makes a pruned, removed or superseded learning available to prompts again and protects it from automatic pruning.",
  examples: ["ralph memory restore l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of a learning" }],
  run: inProject(async (session, project, { args }) => {
    const actions = learningActions(session, project);
    const id = textOption(args["id"]);
    const learning = await actions.restore(id);
    print(session, "restored", learning);
    if (learning.status === "quarantined")
      session.note(
        safe`hint: it was never approved, so it is quarantined; run \`ralph memory approve ${storedText(id)}\``,
      );
  }),
};

/** `ralph memory validate`. */
export const validate: CommandSpec = {
  description:
    "Accepts the current content of its cited files, clears the stale flag and resets its age. Of a record of the hivemind (h-…), resets the age.",
  examples: ["ralph memory validate l-3fa9c1"],
  arguments: [{ name: "<id>", description: "id of the learning or record" }],
  options: [collectionOption],
  run: inCollection({
    hivemind: validateRecord,
    project: async (session, project, id, options) => {
      const actions = learningActions(session, project);
      await inScope(actions, id, options);
      const learning = await actions.validate(id, session.iteration ? "agent" : "person");
      print(session, "validated", learning);
      if (isArchived(learning))
        session.note(
          safe`hint: it is ${learning.status} and not shown in prompts; run \`ralph memory restore ${storedText(id)}\` to restore it`,
        );
    },
  }),
};

function print(
  session: Session,
  verb: "archived" | "already archived:" | "restored" | "validated",
  learning: LearningView,
): void {
  const json = { success: true, id: learning.id, memory: memoryJson(learning) };
  printResult(session, json, safe`${verb} ${labelOf(learning)}`);
}
