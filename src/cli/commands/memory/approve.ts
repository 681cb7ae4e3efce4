import { safe } from "../../../base/safe-text.ts";
import { clip, count } from "../../../base/text.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { usageError } from "../../shell/io.ts";
import { labelOf } from "./render-memory.ts";
import { hivemindActions, isRecordId, learningActions, listOption } from "./with-collection.ts";

/** `ralph memory approve`. */
export const command: CommandSpec = {
  description:
    "Imported learnings wait in quarantine, because agents follow what they read. What an agent stated is unproven until verified successes or you confirm it, and withdrawn when four tasks failed with it (`ralph memory review`). Records of other projects (h-…) are marked in prompts and ranked last. Review them before you approve them.",
  examples: [
    "ralph memory list --status quarantined",
    "ralph memory approve l-3fa9c1",
    "ralph memory approve h-3fa9c1d2e4b5",
    "ralph memory approve --all",
  ],
  arguments: [
    {
      name: "[ids...]",
      description: "ids of quarantined, withdrawn or unproven learnings, or of records of the hivemind",
    },
  ],
  options: [{ flags: "--all", description: "approve all quarantined learnings" }],
  run: async (session, { args, options }) => {
    const named_ = listOption(args["ids"]);
    if (named_.length === 0 && options["all"] !== true) {
      throw usageError("no ids given", "run `ralph memory list --status quarantined` to find them");
    }
    if (named_.length > 0 && options["all"] === true) {
      throw usageError("ids and --all cannot be combined", "use ids or --all");
    }
    return withProject(session, {}, async (project) => {
      const actions = learningActions(session, project);
      const ids =
        options["all"] === true
          ? (await actions.list({ status: ["quarantined"] })).map(({ id }) => id)
          : named_.filter((id) => !isRecordId(id));
      const foreign = named_.filter(isRecordId);
      // First: it fails for an unknown id, and then nothing is approved.
      const trusted =
        foreign.length > 0 ? await (await hivemindActions(session, project)).approve(foreign) : [];
      const approved = await actions.approve(ids);
      const all = [...approved, ...trusted].map(({ id }) => id);
      if (session.json) session.out(storedJson({ success: true, ids: all }));
      else if (all.length <= 20) {
        for (const learning of approved) session.out(safe`approved ${labelOf(learning)}`);
        for (const { id, content } of trusted)
          session.out(safe`approved ${storedText(id)} ${clip(storedText(content), 100)}`);
      }
      session.note(safe`approved ${count(all.length, "learning")}`);
    });
  },
};
