import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/errors.ts";
import type { Reader } from "../../../store/port/db.ts";
import { countTasks } from "../../../tasks/graph/task-store.ts";

const maxBytes = 1024 * 1024;
const openItem = /^[ \t]*(?:[-*+]|\d+[.)]) \[ \] \S/m;

/** Returns the next command after `ralph init`: import an existing task list, or add a task. */
export async function nextCommand(root: string, db: Reader): Promise<string> {
  const counts = await countTasks(db);
  if (Object.values(counts).some((n) => n > 0)) return counts.pending > 0 ? "ralph run" : "ralph status";
  const list = await findTaskList(root);
  return list === undefined ? 'ralph task add "title"' : `ralph task import ${list}`;
}

export async function findTaskList(root: string): Promise<string | undefined> {
  for (const file of await candidates(root)) if (await holdsTasks(join(root, file))) return file;
  return undefined;
}

async function candidates(root: string): Promise<readonly string[]> {
  const changes = await readdir(join(root, "openspec", "changes")).catch(none);
  const names = changes.filter((name) => /^[A-Za-z0-9][\w.-]*$/.test(name) && name !== "archive").sort();
  return [
    "tasks.yaml",
    "tasks.yml",
    "tasks.md",
    "TODO.md",
    ...names.map((name) => `openspec/changes/${name}/tasks.md`),
  ];
}

function none(error: unknown): readonly string[] {
  if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) return [];
  throw error;
}

/** Returns true for a YAML list by its name, and for a Markdown file with an open item. */
async function holdsTasks(path: string): Promise<boolean> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size === 0 || stats.size > maxBytes) return false;
    return !path.endsWith(".md") || openItem.test(await readFile(path, "utf8"));
  } catch {
    // Missing or unreadable.
    return false;
  }
}
