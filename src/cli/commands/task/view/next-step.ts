import type { Reader } from "../../../../store/db.ts";
import { nextTask } from "../../../../tasks/next-task.ts";
import { countTasks } from "../../../../tasks/task-store.ts";

/** What to type now, by the state that the graph is in. */
export async function nextStep(q: Reader): Promise<string> {
  const counts = await countTasks(q);
  if (counts.in_progress > 0) return "ralph status";
  if (await nextTask(q)) return "ralph run";
  const open = counts.pending + counts.blocked + counts.failed;
  if (open === 0) return counts.done > 0 ? "all tasks are done" : 'ralph task add "what is to be done"';
  return counts.failed > 0
    ? "ralph task reset ID opens a failed task again"
    : "ralph task list shows what is blocked, and why";
}
