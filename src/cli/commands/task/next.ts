import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { Reader } from "../../../store/port/db.ts";
import { nextTask } from "../../../tasks/graph/next-task.ts";
import { countTasks } from "../../../tasks/graph/task-store.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import { type CommandSpec, inProject } from "../../shell/command.ts";
import { shownTask, taskLabel } from "./describe-task.ts";
import { nextStep } from "./next-step.ts";

/** `ralph task next`. */
export const command: CommandSpec = {
  description: "Prints nothing (null with --json) if no task is ready.",
  run: inProject(async (session, { db }) => {
    const task = await nextTask(db);
    if (session.json) session.out(storedJson(task ? shownTask(task) : null));
    else if (task) session.out(taskLabel(task));
    if (!task) session.note(await noneReason(db));
    session.note(safe`hint: ${await nextStep(db)}`);
  }),
};

async function noneReason(q: Reader): Promise<SafeText> {
  const { pending, in_progress: running, blocked, failed } = await countTasks(q);
  const open = [
    ...(running > 0 ? [safe`${running} in progress`] : []),
    ...(pending > 0 ? [safe`${count(pending, "task waits", "tasks wait")} for others`] : []),
    ...(blocked > 0 ? [safe`${blocked} blocked`] : []),
    ...(failed > 0 ? [safe`${failed} failed`] : []),
  ];
  return open.length > 0 ? safe`no task is ready: ${joinSafe(open, ", ")}` : safe`no open tasks`;
}
