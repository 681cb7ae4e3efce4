import type { ListAround, ListedTask } from "../../context/prompt.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task, TaskStatus } from "../../tasks/graph/task.ts";
import { commitNames } from "../rows/pending-commit-store.ts";
import { listIntroduction } from "./list-introduction.ts";

/** Siblings on each side: more lines than the section has room for. */
const reach = 10;

interface SiblingRow {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
}

/** Returns the list in which the task stands: its file with the introduction, and the tasks beside it in their order. */
export async function listAround(db: Reader, task: Task, root: string): Promise<ListAround | null> {
  const before = (await siblings(db, task, "before")).toReversed();
  const after = await siblings(db, task, "after");
  if (task.source === null && before.length + after.length === 0) return null;
  const finished = before.concat(after).filter(({ status }) => status === "done");
  const commits = await commitNames(
    db,
    finished.map(({ id }) => id),
  );
  const listed = (row: SiblingRow): ListedTask => ({ ...row, commit: commits.get(row.id) ?? null });
  return {
    path: task.source?.path ?? null,
    introduction: task.source === null ? "" : listIntroduction(root, task.source),
    before: before.map(listed),
    after: after.map(listed),
  };
}

/** Returns the nearest tasks with the same parent, or without one and from the same file. */
async function siblings(
  db: Reader,
  { parentId, source, position }: Task,
  side: "before" | "after",
): Promise<SiblingRow[]> {
  if (parentId === null && source === null) return [];
  const [same, key] =
    parentId === null
      ? ["parent_id IS NULL AND source_path = ?", source?.path ?? ""]
      : ["parent_id = ?", parentId];
  const [compare, order] = side === "before" ? ["<", "DESC"] : [">", "ASC"];
  return [
    ...(await db.all<SiblingRow>(
      `SELECT id, title, status FROM tasks WHERE ${same} AND position ${compare} ?
       ORDER BY position ${order} LIMIT ${reach}`,
      [key, position],
    )),
  ];
}
