import { safe } from "../../../base/safe-text.ts";
import { setTaskValue } from "../../../strategy/strategy-store.ts";
import { retryTask } from "../../../tasks/graph/task-transitions.ts";
import type { CommandSpec, OptionValue } from "../../shell/command.ts";
import { textOptions } from "../../shell/option-values.ts";
import { usageError } from "../../shell/usage-error.ts";
import { reopenTasks } from "./reset.ts";

/** `ralph task retry` (TASK-10). */
export const command: CommandSpec = {
  description:
    "Makes a done, blocked or failed task pending again with a fresh attempt count, before all other tasks, unticks it in its source file, and reopens tasks that were blocked only by it. Keeps its history. Of several tasks, the first one runs first.",
  examples: ["ralph task retry t-3fa9c1", "ralph task retry 7.2 --value 5"],
  arguments: [{ name: "<ids...>", description: "the tasks" }],
  options: [
    {
      flags: "--value <dollars>",
      description: "what each finished task is worth, in place of taskValueUsd",
    },
  ],
  run: async (session, { args, options }) => {
    const ids = textOptions(args["ids"]).toReversed();
    const valueUsd = dollarsOf(options["value"]);
    const reopen: typeof retryTask = async (tx, id, ...rest) => {
      const reopened = await retryTask(tx, id, ...rest);
      if (valueUsd !== null) await setTaskValue(tx, id, valueUsd);
      return reopened;
    };
    return reopenTasks(session, ids, { verb: safe`first now:`, reopen });
  },
};

function dollarsOf(text: OptionValue): number | null {
  if (text === undefined) return null;
  const usd = Number(text);
  if (typeof text === "string" && /^\d*\.?\d+$/.test(text) && usd > 0) return usd;
  throw usageError(
    `invalid --value ${JSON.stringify(text)}: expected an amount above 0`,
    "state dollars, such as --value 5",
  );
}
