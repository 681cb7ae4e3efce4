import { constants, existsSync } from "node:fs";
import { chmod, copyFile, open, readdir, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fixable, messageOf, RalphError, systemCode } from "../../../base/errors.ts";
import { count, nameSome } from "../../../base/text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { repairIndex } from "../../../memory/repair-index.ts";
import { restoreBackup } from "../../../store/backups.ts";
import { openStore } from "../../../store/open-store.ts";
import type { Backup, Db } from "../../../store/port/db.ts";
import { getTask } from "../../../tasks/graph/task-store.ts";
import { markDone } from "../../../tasks/graph/task-transitions.ts";
import { syncLists } from "../../../tasks/import-tasks.ts";
import { makePrivateFolder } from "../../../trust/safe-file.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";
import { tasksCommittedSince } from "../../../workspace/revert.ts";
import { type Check, warned } from "./check.ts";
import type { StorePlace } from "./store-checks.ts";

type Place = StorePlace & { readonly root: string };

/** The files that SQLite keeps beside a database; the database itself last. */
const storeFiles = ["-wal", "-shm", "-journal", ""];

/**
 * Keeps the damaged store, restores the newest backup and brings it up to date: from the trailers of the branch's commits and from the
 * imported lists. Errors: `RALPH_RUN_ACTIVE` while another process has the store open, `RALPH_STORE_MISSING` without a backup, and
 * those of the files.
 */
export async function repairStore({ root, path, backups }: Place, now: Date): Promise<Check> {
  await refuseWhileOpen(path);
  const keptIn = await keepDamagedCopy({ root, path }, now);
  const backup = await restoreBackup(path, backups);
  if (!backup) {
    throw new RalphError("RALPH_STORE_MISSING", `there is no backup of the store ${path} that can be read`, {
      hint: `to start over, move ${path} away and run \`ralph init\``,
    });
  }
  const db = await openStore({ path, backups, create: false });
  try {
    await repairIndex(db);
    const done = await takeCommitted(db, root, backup, now);
    const lists = await syncLists(db, { projectRoot: root }, now);
    const changes = lists.reduce((sum, list) => sum + list.changes.length, 0);
    const parts = [
      `restored the store from its backup of ${backup.at}`,
      ...(keptIn === null ? [] : [`the damaged one is in ${keptIn}`]),
      ...(done.length > 0 ? [`done since, by their commits: ${nameSome(done)}`] : []),
      ...(changes > 0 ? [`${count(changes, "change")} read from task lists`] : []),
    ];
    const hint = "what was added or learned since then is lost: check `ralph task list`";
    return warned({ check: "repair", detail: parts.join("; ") }, hint);
  } finally {
    await db.close();
  }
}

/** Marks the tasks as done whose commits are on the current branch. Returns their ids. */
async function takeCommitted(db: Db, root: string, { at }: Backup, now: Date): Promise<readonly string[]> {
  const workspace = await openWorkspace(root, childEnvironment(), { needCommit: false }).catch(
    (error: unknown) => {
      fixable(error);
      return null;
    },
  );
  const ids = workspace === null ? [] : await tasksCommittedSince(workspace, at);
  const done: string[] = [];
  for (const id of ids) {
    const task = await getTask(db, id);
    if (!task || task.status === "done") continue;
    await db.transaction((tx) => markDone(tx, id, now));
    done.push(id);
  }
  return done;
}

/** Copies the store and the files beside it to `.ralph/backups/broken-<time>/`; null when there is no store. */
async function keepDamagedCopy(
  { root, path }: Pick<Place, "root" | "path">,
  now: Date,
): Promise<string | null> {
  const files = storeFiles.map((side) => `${path}${side}`).filter((file) => existsSync(file));
  if (files.length === 0) return null;
  const time = now.toISOString().replace(/[-:Z]/g, "").replace(/[T.]/g, "-");
  const folder = join(root, ".ralph", "backups", `broken-${time}`);
  await makePrivateFolder(folder, { root });
  for (const file of files) {
    await copyToDisk(file, join(folder, basename(file))).catch((error: unknown) => {
      // Another process closed the store meanwhile: its write-ahead log was moved into it and removed.
      if (file === path || existsSync(file)) throw error;
    });
  }
  return folder;
}

async function copyToDisk(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await chmod(to, 0o600);
    const file = await open(to, "r+");
    await file.sync().finally(() => file.close());
  } catch (cause) {
    if (systemCode(cause) !== "EEXIST") await rm(to, { force: true });
    throw new RalphError("RALPH_STORE_IO", `cannot copy ${from} to ${to}: ${messageOf(cause)}`, {
      hint: "free some space or fix the permissions, then retry; nothing is repaired without a copy",
      cause,
    });
  }
}

/** A damaged store cannot be asked for its active run: looks for other processes that have the file open (Linux only). */
async function refuseWhileOpen(path: string): Promise<void> {
  if (process.platform !== "linux") return;
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    // The process has ended, or belongs to another user.
    const names = await readdir(folder).catch(() => []);
    const links = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => "")));
    if (!links.includes(path)) continue;
    throw new RalphError("RALPH_RUN_ACTIVE", `process ${pid} has the store ${path} open`, {
      hint: `wait for it to end, or run \`kill -INT ${pid}\`, then retry`,
    });
  }
}
