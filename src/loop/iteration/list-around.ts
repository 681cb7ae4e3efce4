import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { carefulRead, lookAt } from "../../base/careful-files.ts";
import { isObject, parseJson } from "../../base/json.ts";
import type { ListAround, ListedTask, OpenSpecChange, Prerequisite } from "../../context/prompt.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task, TaskSource, TaskStatus } from "../../tasks/graph/task.ts";
import { blockersOf } from "../../tasks/graph/task-graph.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { commitNames } from "../rows/pending-commit-store.ts";

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

const maxBytes = 8192;
const checkbox = /^\s*(?:[-*+]|\d+[.)])\s+\[.?\]/;
const heading = /^(#{1,6})\s+(.+?)\s*#*$/;

/**
 * Returns what a Markdown task list says before its first item or second heading, as one paragraph; "" for another
 * format, a list without words, and a file that is missing, outside the project or reached through a link.
 */
export function listIntroduction(root: string, source: TaskSource): string {
  if (source.format !== "markdown") return "";
  const words: string[] = [];
  for (const line of plainLines(firstBytes(root, source.path))) {
    const title = heading.exec(line)?.[2];
    if (checkbox.test(line) || (title !== undefined && words.length > 0)) break;
    if (title !== undefined) words.push(`${title}:`);
    else if (line.trim() !== "") words.push(line.trim());
  }
  return words.join(" ").replace(/:$/, "");
}

/** Returns the lines without front matter and comments. */
function plainLines(text: string): readonly string[] {
  return text
    .replace(/^\uFEFF?---\r?\n[\s\S]*?\n---[ \t]*\r?\n/, "")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .split(/\r?\n/);
}

/** Reads the beginning of a regular file of the project. An agent may have put a link in its place. */
function firstBytes(root: string, path: string): string {
  const full = join(root, path);
  try {
    if (!realpathSync.native(full).startsWith(`${realpathSync.native(root)}${sep}`)) return "";
    const file = openSync(full, carefulRead);
    try {
      if (!fstatSync(file).isFile()) return "";
      const buffer = Buffer.alloc(maxBytes);
      return buffer.toString("utf8", 0, readSync(file, buffer, 0, maxBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // Moved or unreadable: the prompt works without it.
    return "";
  }
}

interface CommitRow {
  readonly paths: string;
}

const listOfChange = /^(openspec\/changes\/[^/]+)\/tasks\.md$/;
const maxDepth = 20;

/**
 * Returns what the OpenSpec change says whose list the task, or the one that it was split from, comes from: the beginnings of its proposal
 * and design; null for another task.
 */
export async function openSpecChange(db: Reader, task: Task, root: string): Promise<OpenSpecChange | null> {
  let current: Task | undefined = task;
  for (let depth = 0; current && depth < maxDepth; depth += 1) {
    const folder = listOfChange.exec(current.source?.path ?? "")?.[1];
    if (folder !== undefined) {
      const text = (name: string): string => firstBytes(root, join(folder, name)).trim();
      const specs = lookAt(join(root, folder, "specs"))?.isDirectory() === true;
      return { folder, proposal: text("proposal.md"), design: text("design.md"), specs };
    }
    current = current.parentId === null ? undefined : await getTask(db, current.parentId);
  }
  return null;
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
