import { copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { preparePrivateFolder } from "../../src/cli/project/private-folder.ts";
import { droppedItems, executedItems } from "../../src/cli/trust/executed-items.ts";
import { loadSettings } from "../../src/config/load-settings.ts";
import { openEventLog } from "../../src/events/event-log.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { NewTask } from "../../src/tasks/graph/task.ts";
import { addTask } from "../../src/tasks/graph/task-graph.ts";
import { openApprovals } from "../../src/trust/approvals.ts";
import { rejectLater } from "../reject-later.ts";

export interface PracticeTask extends NewTask {
  readonly id: string;
  readonly after?: readonly string[];
}

/** Approves what the configuration in `dir` makes ralph execute, as `ralph trust approve` does, without its start. */
export async function approveConfig(dir: string, home: string): Promise<void> {
  const loaded = await loadSettings({ cwd: dir, env: { HOME: home } });
  const approvals = openApprovals(join(home, "state/ralph/approvals.json"), dir);
  const executed = executedItems(loaded);
  const items = [...executed, ...droppedItems(loaded, executed, approvals.list())];
  await approvals.approve(items.map((item) => ({ ...item, what: item.text })));
}

/** Adds tasks as `ralph task add` does, without its start; of titles alone, with the ids `t-1`, `t-2`, …. */
export async function addTasks(
  { dir }: { readonly dir: string },
  tasks: readonly (string | PracticeTask)[],
): Promise<void> {
  await preparePrivateFolder(dir);
  if (existsSync(join(dir, ".ralph/progress.db"))) return writeTasks(dir, tasks);
  // Elsewhere: the driver keeps in this process a file open that it closed, with the files that belong to an open one.
  const made = realpathSync(mkdtempSync(join(tmpdir(), "ralph-e2e-")));
  await preparePrivateFolder(made);
  await writeTasks(made, tasks);
  for (const file of [".ralph/progress.db", ".ralph/events.jsonl"]) {
    // Without a task there is no event yet.
    if (existsSync(join(made, file))) copyFileSync(join(made, file), join(dir, file));
  }
  rmSync(made, { recursive: true });
}

async function writeTasks(dir: string, tasks: readonly (string | PracticeTask)[]): Promise<void> {
  const history = join(dir, ".ralph/events.jsonl");
  const db = await openStore({ path: join(dir, ".ralph/progress.db") });
  // Each a little later than the one before it, so that they run in this order.
  const begin = Date.now() - tasks.length;
  for (const [index, one] of tasks.entries()) {
    const { after = [], ...task } = typeof one === "string" ? { id: `t-${index + 1}`, title: one } : one;
    await db.transaction((tx) => addTask(tx, { task, after }, new Date(begin + index)));
  }
  await openEventLog({ db, file: history, clock: systemClock, onFailure: rejectLater }).flush();
  // As the end of a process does.
  await db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  await db.close();
}
