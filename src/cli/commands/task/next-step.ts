import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { Reader } from "../../../store/port/db.ts";
import { nextTask } from "../../../tasks/graph/next-task.ts";
import type { BlockCause } from "../../../tasks/graph/task.ts";
import { countTasks, listTaskLines } from "../../../tasks/graph/task-store.ts";
import { storedText } from "../../../trust/stored-text.ts";

/** Returns the next command for the user, by the state of the tasks. `afterList`: the user sees the blocked tasks already. */
export async function nextStep(
  q: Reader,
  { afterList = false }: { readonly afterList?: boolean } = {},
): Promise<SafeText> {
  const counts = await countTasks(q);
  if (counts.in_progress > 0) return safe`run \`ralph status\``;
  if (await nextTask(q)) return safe`run \`ralph run\``;
  const open = counts.pending + counts.blocked + counts.failed;
  if (open === 0) return counts.done > 0 ? safe`all tasks are done` : safe`run \`ralph task add "title"\``;
  if (counts.failed > 0) return safe`run \`ralph task retry ID\` to reopen a failed task`;
  return afterList ? unblockStep(q) : safe`run \`ralph task list\` to see what is blocked and why`;
}

/** Blocks that end with a reset; the other ones end with another task or a change of the file. */
const resettable: ReadonlySet<BlockCause | null> = new Set(["attempts", "person", "needs"]);

async function unblockStep(q: Reader): Promise<SafeText> {
  const blocked = await listTaskLines(q, { status: "blocked" });
  const task = blocked.find(({ blockCause }) => resettable.has(blockCause));
  if (task) return safe`run \`ralph task retry ${storedText(task.id)}\` to reopen a blocked task`;
  return safe`run \`ralph task show ${storedText(blocked[0]?.id ?? "ID")}\` to see why a task is blocked`;
}
