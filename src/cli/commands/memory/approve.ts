import { RalphError } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
import { listOption, refuseInsideIteration, withLearningActions } from "./input/with-actions.ts";
import { labelOf } from "./view/draw-learning.ts";

/** `ralph memory approve`. */
export const approve: CommandSpec = {
  name: "approve",
  summary: "let memories from elsewhere into prompts",
  description: "What was imported waits in quarantine: an agent reads and follows it, so look at it first.",
  examples: [
    "ralph memory list --status quarantined",
    "ralph memory approve l-3fa9c1",
    "ralph memory approve --all",
  ],
  arguments: [{ name: "[ids...]", description: "their ids" }],
  options: [{ flags: "--all", description: "all that wait" }],
  run: async (session, { args, options }) => {
    refuseInsideIteration("approve");
    const named_ = listOption(args["ids"]);
    if (named_.length === 0 && options["all"] !== true) {
      throw new RalphError("RALPH_USAGE", "no id was given", {
        hint: "ralph memory list --status quarantined shows what waits",
      });
    }
    if (named_.length > 0 && options["all"] === true) {
      throw new RalphError("RALPH_USAGE", "ids and --all say different things", {
        hint: "ralph memory approve --all, or the ids alone",
      });
    }
    return withLearningActions(session, {}, async (desk) => {
      const ids =
        options["all"] === true ? (await desk.list({ status: ["quarantined"] })).map(({ id }) => id) : named_;
      const approved = await desk.approve(ids);
      if (session.json) session.out(jsonLine({ success: true, ids: approved.map(({ id }) => id) }));
      else if (approved.length <= 20)
        for (const learning of approved) session.out(`approved ${labelOf(learning)}`);
      session.note(`${count(approved.length, "memory", "memories")} approved`);
      return 0;
    });
  },
};
