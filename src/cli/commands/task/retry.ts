import { safe } from "../../../base/safe-text.ts";
import { retryTask } from "../../../tasks/graph/task-transitions.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { textOptions } from "../../shell/option-values.ts";
import { reopenTasks } from "./reset.ts";

/** `ralph task retry` (TASK-10). */
export const command: CommandSpec = {
  description:
    "Reopens a task as `ralph task reset` does, and puts it before all other tasks. Of several tasks, the first one runs first.",
  examples: ["ralph task retry t-3fa9c1"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  run: async (session, { args }) => {
    const ids = textOptions(args["ids"]).toReversed();
    return reopenTasks(session, ids, { verb: safe`first now:`, reopen: retryTask });
  },
};
