import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { listOption, refuseInsideIteration, withLearningActions } from "./input/with-actions.ts";
import { labelOf } from "./view/render-memory.ts";

/** `ralph memory approve`. */
export const approve: CommandSpec = {
  name: "approve",
  summary: "release learnings from quarantine",
  description:
    "Imported learnings wait in quarantine, because agents follow what they read. Review them before you approve them.",
  examples: [
    "ralph memory list --status quarantined",
    "ralph memory approve l-3fa9c1",
    "ralph memory approve --all",
  ],
  arguments: [{ name: "[ids...]", description: "ids of quarantined learnings" }],
  options: [{ flags: "--all", description: "approve all quarantined learnings" }],
  run: async (session, { args, options }) => {
    refuseInsideIteration("approve");
    const named_ = listOption(args["ids"]);
    if (named_.length === 0 && options["all"] !== true) {
      throw new RalphError("RALPH_USAGE", "no ids given", {
        hint: "run `ralph memory list --status quarantined` to find them",
      });
    }
    if (named_.length > 0 && options["all"] === true) {
      throw new RalphError("RALPH_USAGE", "ids and --all cannot be combined", {
        hint: "use ids or --all",
      });
    }
    return withLearningActions(session, {}, async (actions) => {
      const ids =
        options["all"] === true
          ? (await actions.list({ status: ["quarantined"] })).map(({ id }) => id)
          : named_;
      const approved = await actions.approve(ids);
      if (session.json) session.out(storedJson({ success: true, ids: approved.map(({ id }) => id) }));
      else if (approved.length <= 20)
        for (const learning of approved) session.out(safe`approved ${labelOf(learning)}`);
      session.note(safe`approved ${count(approved.length, "learning")}`);
      return 0;
    });
  },
};
