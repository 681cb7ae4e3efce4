import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { slug } from "../../trust/safe-name.ts";
import { type UseResult, useResult } from "../port/health-store.ts";
import { type Journal, type JournalSettings, type Journals, journalEnding } from "../port/journal.ts";
import { checkJournal, createJournal, readJournal } from "./journal-file.ts";

/** An agent can give the file any size, also without writing that much. */
const readableBytes = 16 * 1024 * 1024;

/**
 * Opens the journals over the store, which knows the tasks' lists. The OpenSpec changes are those of now: a folder that an
 * agent adds during the run must not divert the journal of later iterations.
 */
export function openJournals(db: Reader, settings: JournalSettings): Journals {
  const named = (change: string): Journal => ({
    change,
    folder: settings.folder,
    path: join(settings.folder, `${slug(change)}${journalEnding}`),
  });
  const changes = settings.change === null ? openSpecChanges(settings.root) : [];
  let result: UseResult | undefined;
  const recording = async (use: () => void | Promise<void>): Promise<void> => {
    try {
      await use();
      result = useResult(null);
    } catch (error) {
      result = useResult(error);
      throw error;
    }
  };
  return {
    of: async (task) => named(settings.change ?? (await findChange(db, changes, task))),
    named,
    check: (journal) => recording(() => checkJournal(journal, settings)),
    create: (journal) => recording(() => createJournal(journal, settings)),
    read: (journal, maxBytes = readableBytes) => readJournal(journal, settings, maxBytes),
    takeResult: () => {
      const taken = result;
      result = undefined;
      return taken;
    },
  };
}

/** The change of projects without OpenSpec. */
const defaultChange = "default";
const maxDepth = 20;
const listOfChange = /^openspec\/changes\/([^/]+)\/tasks\.md$/;

/**
 * Returns the change that a task belongs to: the OpenSpec change whose list it, or the task it was split from, was
 * imported from; else the only one of `changes`; else `default`. `task` is null for no task in particular.
 */
async function findChange(db: Reader, changes: readonly string[], task: Task | null): Promise<string> {
  let current: Task | null | undefined = task;
  for (let depth = 0; current && depth < maxDepth; depth += 1) {
    const change = listOfChange.exec(current.source?.path ?? "")?.[1];
    if (change !== undefined) return change;
    current = current.parentId === null ? null : await getTask(db, current.parentId);
  }
  return changes.length === 1 ? (changes[0] ?? defaultChange) : defaultChange;
}

/** Returns the names of the OpenSpec changes of the project at `root` that are not archived. */
function openSpecChanges(root: string): readonly string[] {
  try {
    return readdirSync(join(root, "openspec", "changes"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "archive" && !entry.name.startsWith("."))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
