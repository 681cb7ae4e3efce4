import { type SafeText, safe } from "../../../../base/safe-text.ts";
import type { Reader } from "../../../../store/db.ts";
import { nextTask } from "../../../../tasks/next-task.ts";
import { countTasks } from "../../../../tasks/task-store.ts";

/** Returns the next command for the user, by the state of the tasks. */
export async function nextStep(q: Reader): Promise<SafeText> {
  const counts = await countTasks(q);
  if (counts.in_progress > 0) return safe`run \`ralph status\``;
  if (await nextTask(q)) return safe`run \`ralph run\``;
  const open = counts.pending + counts.blocked + counts.failed;
  if (open === 0) return counts.done > 0 ? safe`all tasks are done` : safe`run \`ralph task add "title"\``;
  return counts.failed > 0
    ? safe`run \`ralph task reset ID\` to reopen a failed task`
    : safe`run \`ralph task list\` to see what is blocked and why`;
}
