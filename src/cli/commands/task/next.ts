import { count } from "../../../base/text.ts";
import type { Reader } from "../../../store/db.ts";
import { nextTask } from "../../../tasks/next-task.ts";
import { countTasks } from "../../../tasks/task-store.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";
import { withProject } from "./input/with-project.ts";
import { taskLabel } from "./view/describe-task.ts";
import { nextStep } from "./view/next-step.ts";

/** `ralph task next`. */
export const next: CommandSpec = {
  name: "next",
  summary: "show the task that runs next",
  description: "Prints nothing (null with --json) if no task is ready.",
  run: async (session) =>
    withProject(session, {}, async ({ db }) => {
      const task = await nextTask(db);
      if (session.json) session.out(jsonLine(task ?? null));
      else if (task) session.out(taskLabel(task));
      if (!task) session.note(await noneReason(db));
      session.note(`hint: ${await nextStep(db)}`);
      return 0;
    }),
};

async function noneReason(q: Reader): Promise<string> {
  const { pending, in_progress: running, blocked, failed } = await countTasks(q);
  const open = [
    running > 0 && `${running} in progress`,
    pending > 0 && `${count(pending, "task waits", "tasks wait")} for others`,
    blocked > 0 && `${blocked} blocked`,
    failed > 0 && `${failed} failed`,
  ].filter((part) => part !== false);
  return open.length > 0 ? `no task is ready: ${open.join(", ")}` : "no open tasks";
}
