import { RalphError } from "../../base/errors.ts";
import { record } from "../../events/event-store.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { tickSource, untickSource } from "../../tasks/write-back.ts";
import { commit, type Loop } from "../rows/loop.ts";

type Ticker = Pick<Loop, "adopted" | "clock" | "db" | "log" | "projectRoot" | "root" | "runId">;

/**
 * Ticks these tasks in their source files, or unticks them. A file that can no longer be edited must not block the commit
 * of verified work: it is reported with a `source.unticked` event.
 */
export async function setTicks(
  loop: Ticker,
  tasks: readonly Task[],
  change: "tick" | "untick",
): Promise<void> {
  for (const task of tasks) {
    if (task.source) await setTick(loop, { task, path: task.source.path }, change);
  }
}

/** Returns the tasks that a commit finishes, without those that were removed since. */
export async function finishedTasks(
  { db }: Pick<Loop, "db">,
  ids: readonly string[],
): Promise<readonly Task[]> {
  return (await Promise.all(ids.map((id) => getTask(db, id)))).flatMap((task) => task ?? []);
}

async function setTick(
  loop: Ticker,
  { task, path }: { readonly task: Task; readonly path: string },
  change: "tick" | "untick",
): Promise<void> {
  const { id } = task;
  const why = await (change === "tick" ? tickSource : untickSource)(loop.root, task).then(
    (found) => {
      const isPersons = loop.root === loop.projectRoot;
      const gone = isPersons
        ? "the file, or the task in it, is gone"
        : "the branch does not have it; commit your edits of the list";
      if (!found) return `${id} is not ${change}ed in ${path}: ${gone}`;
      const { texts } = loop.adopted;
      if (isPersons && texts.get(path) === found.before) texts.set(path, found.text);
      return null;
    },
    (error: unknown) => {
      if (error instanceof RalphError) return error.message;
      throw error;
    },
  );
  if (why === null) return;
  const data = { taskId: id, path, error: why };
  const { runId } = loop;
  await commit(loop, (tx) => record(tx, { type: "source.unticked", runId, data }, loop.clock.now()));
}
