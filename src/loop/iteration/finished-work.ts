import { isObject, parseJson } from "../../base/json.ts";
import type { Prerequisite } from "../../context/prompt.ts";
import type { Reader } from "../../store/port/db.ts";
import { blockersOf } from "../../tasks/graph/task-graph.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { commitNames } from "../rows/pending-commit-store.ts";

interface CommitRow {
  readonly paths: string;
}

/** Returns the finished tasks that `taskId` depended on, with the files of their commits. */
export async function finishedPrerequisites(db: Reader, taskId: string): Promise<readonly Prerequisite[]> {
  const found: Prerequisite[] = [];
  for (const id of await blockersOf(db, taskId)) {
    const task = await getTask(db, id);
    if (task?.status !== "done") continue;
    const row = await db.get<CommitRow>(
      `SELECT paths FROM pending_commits WHERE task_id = ? ORDER BY created_at DESC LIMIT 1`,
      [id],
    );
    const names = await commitNames(db, [id]);
    found.push({ id, title: task.title, files: pathsOf(row), commit: names.get(id) ?? null });
  }
  return found;
}

function pathsOf(row: CommitRow | undefined): readonly string[] {
  const value = row ? parseJson(row.paths) : undefined;
  const paths = isObject(value) ? value["paths"] : undefined;
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
}
