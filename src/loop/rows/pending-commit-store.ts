import type { AttemptRef } from "../../base/attempt-ref.ts";
import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { redactObject } from "../../events/redact-json.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";
import type { Verdict } from "./iteration.ts";

/** The maximum number of an agent's own commits that are stored, the last ones. */
export const maxOwn = 50;

/** A commit that the agent made itself. */
export interface OwnCommit {
  readonly hash: string;
  readonly subject: SafeText;
}

/** A commit to make: recorded with the outcome, made right after, or by recovery when ralph was killed in between. */
export interface PendingCommit extends Pick<AttemptRef, "iterationId" | "taskId"> {
  /** The tree that holds the work (`Workspace.slot`). */
  readonly slot: string;
  /** HEAD when the task's work began: undo reverts up to it. */
  readonly base: string;
  /** HEAD when the work was judged: recovery searches for the commit after it. Null: there was no commit. */
  readonly head: string | null;
  readonly paths: readonly string[];
  /** Tasks that this work completed: to be ticked in their source files. */
  readonly finished: readonly string[];
  readonly message: SafeText;
  /** False: only tick (`commit.enabled: false`). */
  readonly wanted: boolean;
  /** The data of the event that follows the commit. */
  readonly story: {
    readonly title: SafeText;
    readonly files: readonly SafeText[];
    readonly summary: SafeText;
    readonly durationMs: number;
  };
  /** The verdict to record by git's answer; null: it is recorded, and the task is done without the commit. */
  readonly verdict: Verdict | null;
}

type Owed = Pick<PendingCommit, "head" | "paths" | "finished" | "wanted" | "story" | "verdict">;

/** Returns the column's JSON, with secrets redacted: an agent's texts in a verdict are not redacted yet. */
function columnOf(owed: Owed, own: readonly OwnCommit[] = []): string {
  const { head, paths, finished, wanted, story, verdict } = owed;
  const safe = verdict && redactObject(verdict as unknown as JsonObject);
  return JSON.stringify({ head, paths, finished, wanted, story, verdict: safe, own });
}

function ownOf(paths: string): readonly OwnCommit[] {
  const owed = parseJson(paths);
  const own = isObject(owed) ? owed["own"] : undefined;
  return Array.isArray(own) ? (own as unknown as readonly OwnCommit[]) : [];
}

export async function insertPendingCommit(tx: Tx, commit: PendingCommit, now: Date): Promise<void> {
  const { iterationId, taskId, slot, base, message } = commit;
  await insertRow(tx, "pending_commits", {
    ...{ iteration_id: iterationId, task_id: taskId, slot: tx.dialect.place + slot, base, message },
    ...{ paths: columnOf(commit), created_at: now.toISOString() },
  });
}

/** Stores where a commit goes after its work was moved to another one. */
export async function moveCommit(
  tx: Tx,
  commit: PendingCommit,
  to: { readonly base: string; readonly paths: readonly string[] },
): Promise<PendingCommit> {
  const moved = { ...commit, ...to, head: to.base };
  await tx.run("UPDATE pending_commits SET base = ?, paths = ? WHERE iteration_id = ?", [
    moved.base,
    columnOf(moved),
    moved.iterationId,
  ]);
  return moved;
}

/** Marks a commit as made and drops its verdict. `work` is null when nothing was left to commit, or a hook refused it. */
export async function finishPendingCommit(
  tx: Tx,
  commit: PendingCommit,
  work: { readonly hash: string; readonly message: SafeText; readonly own: readonly OwnCommit[] } | null,
  now: Date,
): Promise<void> {
  const { hash, message, own } = work ?? { hash: null, message: commit.message, own: [] };
  const column = columnOf({ ...commit, verdict: null }, own);
  await tx.run(
    "UPDATE pending_commits SET commit_hash = ?, message = ?, finished_at = ?, paths = ? WHERE iteration_id = ?",
    [hash, message, now.toISOString(), column, commit.iterationId],
  );
}

/** Stores the commit of an iteration that another machine pushed and did not record. */
export async function noteCommit(
  tx: Tx,
  { iterationId, hash }: { readonly iterationId: string; readonly hash: string },
  now: Date,
): Promise<void> {
  const sql = "UPDATE pending_commits SET commit_hash = ?, finished_at = ? WHERE iteration_id = ?";
  await tx.run(sql, [hash, now.toISOString(), iterationId]);
}

/** Returns the commits to make in this working copy, oldest first; with `slot` only those of this tree. */
export async function pendingCommits(
  db: Reader,
  slot: string | null = null,
): Promise<readonly PendingCommit[]> {
  const { place } = db.dialect;
  const here = slot === null ? place : place + slot;
  const rows = await db.all<Omit<PendingCommit, keyof Owed> & { readonly owed: string }>(
    `SELECT iteration_id AS "iterationId", task_id AS "taskId", substr(slot, ?) AS slot, base, message, paths AS owed
     FROM pending_commits WHERE finished_at IS NULL AND ${slot === null ? "substr(slot, 1, ?)" : "slot"} = ? ORDER BY created_at`,
    slot === null ? [place.length + 1, place.length, here] : [place.length + 1, here],
  );
  return rows.map(({ owed, ...row }) => ({ ...row, ...(parseJson(owed) as unknown as Owed) }));
}

/** Returns the task's commits, the agent's own ones included, oldest first. */
export async function commitsOf(db: Reader, taskId: string): Promise<readonly string[]> {
  const rows = await db.all<{ hash: string; paths: string }>(
    `SELECT commit_hash AS hash, paths FROM pending_commits WHERE task_id = ? AND commit_hash IS NOT NULL ORDER BY created_at`,
    [taskId],
  );
  return rows.flatMap(({ hash, paths }) => [...ownOf(paths).map((own) => own.hash), hash]);
}

/** Returns the commits of one run, the agent's own ones included, oldest first. */
export async function commitsOfRun(
  db: Reader,
  runId: string,
): Promise<readonly { readonly taskId: string; readonly hash: string; readonly message: string }[]> {
  const rows = await db.all<{ taskId: string; hash: string; message: string; paths: string }>(
    `SELECT p.task_id AS "taskId", p.commit_hash AS hash, p.message, p.paths FROM pending_commits p
     JOIN iterations i ON i.id = p.iteration_id
     WHERE i.run_id = ? AND p.commit_hash IS NOT NULL ORDER BY p.created_at`,
    [runId],
  );
  return rows.flatMap(({ taskId, hash, message, paths }) => [
    ...ownOf(paths).map((own) => ({ taskId, hash: own.hash, message: own.subject })),
    { taskId, hash, message },
  ]);
}

/**
 * Names the commits of finished tasks as git understands them, by task: one commit, or `base..hash` if the agent made
 * others before it.
 */
export async function commitNames(
  db: Reader,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (taskIds.length === 0) return new Map();
  const rows = await db.all<{ id: string; hash: string; base: string; paths: string }>(
    `SELECT task_id AS id, commit_hash AS hash, base, paths FROM pending_commits
     WHERE commit_hash IS NOT NULL AND task_id IN (${taskIds.map(() => "?").join(", ")}) ORDER BY created_at`,
    [...taskIds],
  );
  const short = (hash: string): string => hash.slice(0, 10);
  return new Map(
    rows.map(({ id, hash, base, paths }) => [
      id,
      ownOf(paths).length > 0 ? `${short(base)}..${short(hash)}` : short(hash),
    ]),
  );
}

/** Returns the task's commits, newest first, each with the position of HEAD when its work began. */
export async function finishedCommits(
  db: Reader,
  taskId: string,
): Promise<readonly { readonly base: string; readonly hash: string }[]> {
  return db.all<{ base: string; hash: string }>(
    `SELECT base, commit_hash AS hash FROM pending_commits
     WHERE task_id = ? AND commit_hash IS NOT NULL ORDER BY created_at DESC`,
    [taskId],
  );
}

/** Returns the distinct tasks that ralph made these commits for. */
export async function tasksOfCommits(db: Reader, hashes: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const hash of hashes) {
    const row = await db.get<{ id: string }>(
      `SELECT task_id AS id FROM pending_commits WHERE commit_hash = ?`,
      [hash],
    );
    if (row) found.add(row.id);
  }
  return [...found];
}
