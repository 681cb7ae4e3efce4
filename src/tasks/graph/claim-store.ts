import type { Owner } from "../../base/owner.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { changeStatus } from "./change-status.ts";
import type { Claim, Task } from "./task.ts";
import { type TaskRow, taskOf } from "./task-row.ts";
import { claimRow, getTask, raiseFence } from "./task-store.ts";

/** A claim with its owner, run and times (ISO 8601). */
export interface HeldClaim extends Claim {
  readonly owner: Owner;
  readonly runId: string;
  readonly claimedAt: string;
  readonly heartbeatAt: string;
}

interface ClaimRow {
  readonly task_id: string;
  readonly token: number;
  readonly run_id: string;
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
  readonly host: string;
  readonly claimed_at: string;
  readonly heartbeat_at: string;
}

/**
 * Claims a pending task for a run: sets it `in_progress` under a fencing token above all earlier ones. Returns undefined
 * if the task is not pending, for example because another run was faster.
 */
export async function claimTask(
  tx: Tx,
  claim: { readonly taskId: string; readonly owner: Owner; readonly runId: string },
  now: Date,
): Promise<Claim | undefined> {
  const { taskId, owner, runId } = claim;
  const token = await claimRow(tx, { id: taskId, type: "task.claimed", runId }, now);
  if (token === undefined) return undefined;
  await insertClaim(tx, { taskId, token }, { owner, runId }, now);
  return { taskId, token };
}

/** Restores a deleted claim whose token is still the task's current one. Returns false if the token is stale. */
export async function restoreClaim(
  tx: Tx,
  { taskId, token }: Claim,
  holder: { readonly owner: Owner; readonly runId: string },
  now: Date,
): Promise<boolean> {
  const held = "SELECT 1 FROM tasks WHERE id = ? AND status = 'in_progress' AND fence = ?";
  if (!(await tx.get(held, [taskId, token]))) return false;
  if (await tx.get("SELECT 1 FROM claims WHERE task_id = ? AND token = ?", [taskId, token])) return true;
  await insertClaim(tx, { taskId, token }, holder, now);
  return true;
}

async function insertClaim(
  tx: Tx,
  { taskId, token }: Claim,
  { owner, runId }: { readonly owner: Owner; readonly runId: string },
  now: Date,
): Promise<void> {
  const beat = tx.dialect.stamp(now);
  await tx.run(
    `INSERT INTO claims (task_id, token, run_id, pid, start_time, boot_id, host, claimed_at, heartbeat_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${beat.sql})
     ON CONFLICT (task_id) DO UPDATE SET token = excluded.token, run_id = excluded.run_id, pid = excluded.pid,
       start_time = excluded.start_time, boot_id = excluded.boot_id, host = excluded.host,
       claimed_at = excluded.claimed_at, heartbeat_at = excluded.heartbeat_at, says_done = 0, says_failed = 0`,
    [
      ...[taskId, token, runId, owner.pid, owner.startTime, owner.bootId, owner.host, now.toISOString()],
      ...beat.params,
    ],
  );
}

/** Renews the lease of a claim. Returns false if the claim is lost. */
export async function heartbeat(tx: Tx, claim: Claim, now: Date): Promise<boolean> {
  const beat = tx.dialect.stamp(now);
  const renewed = await tx.run(
    `UPDATE claims SET heartbeat_at = ${beat.sql} WHERE task_id = ? AND token = ?`,
    [...beat.params, claim.taskId, claim.token],
  );
  return renewed > 0;
}

/** Milliseconds after which a claim or a run that was not renewed, by the clock of the server that machines share, may be ended by another. */
export const leaseMs = 60_000;

/** Returns the claims that were not renewed for a lease. */
export async function expiredClaims(q: Reader, now: Date): Promise<readonly HeldClaim[]> {
  const { sql, params } = q.dialect.stamp(now, leaseMs);
  return (await q.all<ClaimRow>(`SELECT * FROM claims WHERE heartbeat_at < ${sql}`, params)).map(heldClaim);
}

/** Releases a claim that was not renewed for a lease: what its holder still does is refused (`isTakenOver`). */
export async function expireClaim(tx: Tx, claim: Claim, now: Date): Promise<void> {
  if (await releaseClaim(tx, claim, now)) await raiseFence(tx, claim.taskId);
}

/** Returns true when the claim was not renewed for a lease and taken away, or the task was claimed again since. */
export async function isTakenOver(q: Reader, { taskId, token }: Claim): Promise<boolean> {
  return (await q.get("SELECT 1 FROM tasks WHERE id = ? AND fence > ?", [taskId, token])) !== undefined;
}

/** Returns a claimed task to `pending`, as after the death of its owner. Returns undefined for a stale token. */
export async function releaseClaim(tx: Tx, claim: Claim, now: Date): Promise<Task | undefined> {
  const runId = await dropClaim(tx, claim);
  if (runId === undefined) return undefined;
  return changeStatus(tx, { id: claim.taskId, status: "pending", type: "task.released", runId }, now);
}

export async function listClaims(q: Reader): Promise<readonly HeldClaim[]> {
  const rows = await q.all<ClaimRow>("SELECT * FROM claims ORDER BY claimed_at, task_id");
  return rows.map(heldClaim);
}

function heldClaim(row: ClaimRow): HeldClaim {
  return {
    taskId: row.task_id,
    token: Number(row.token),
    owner: { pid: row.pid, startTime: row.start_time, bootId: row.boot_id, host: row.host },
    runId: row.run_id,
    claimedAt: row.claimed_at,
    heartbeatAt: row.heartbeat_at,
  };
}

/** Records that the agent reports the task as done; verification decides. Returns false if the task is not claimed. */
export async function markClaimDone(tx: Tx, taskId: string): Promise<boolean> {
  return (await tx.run("UPDATE claims SET says_done = 1 WHERE task_id = ?", [taskId])) > 0;
}

/** Records that the agent reports the task as failed. Returns false if the task is not claimed. */
export async function markClaimFailed(tx: Tx, taskId: string): Promise<boolean> {
  return (await tx.run("UPDATE claims SET says_failed = 1 WHERE task_id = ?", [taskId])) > 0;
}

/** Returns what was reported through the command line during the iteration. */
export async function claimFlags(
  q: Reader,
  claim: Claim,
): Promise<{ readonly done: boolean; readonly failed: boolean }> {
  const row = await q.get<{ says_done: number; says_failed: number }>(
    "SELECT says_done, says_failed FROM claims WHERE task_id = ? AND token = ?",
    [claim.taskId, claim.token],
  );
  return { done: row?.says_done === 1, failed: row?.says_failed === 1 };
}

/**
 * Deletes a claim and returns the id of its run, or undefined for a stale token. The caller changes the task's status.
 */
export async function dropClaim(tx: Tx, claim: Claim): Promise<string | undefined> {
  const dropped = await tx.get<{ run_id: string }>(
    "DELETE FROM claims WHERE task_id = ? AND token = ? RETURNING run_id",
    [claim.taskId, claim.token],
  );
  return dropped?.run_id;
}

/** Returns the task of a claim, and whether it has unfinished children; undefined for a stale token. */
export async function claimedTask(
  q: Reader,
  { taskId, token }: Claim,
): Promise<{ readonly task: Task; readonly waits: boolean } | undefined> {
  const row = await q.get<TaskRow & { readonly waits: number | boolean }>(
    `SELECT t.*, EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = t.id AND c.status <> 'done') AS waits
     FROM tasks t JOIN claims c ON c.task_id = t.id WHERE c.task_id = ? AND c.token = ?`,
    [taskId, token],
  );
  return row && { task: taskOf(row), waits: Boolean(row.waits) };
}

/** Deletes any claim of the task, so that a late result of its owner is rejected. */
export async function dropAnyClaim(tx: Tx, taskId: string): Promise<void> {
  await tx.run("DELETE FROM claims WHERE task_id = ?", [taskId]);
}

/** Returns the claim of the task, of a live run or not; undefined: there is none. */
export async function claimOf(q: Reader, taskId: string): Promise<HeldClaim | undefined> {
  return (await listClaims(q)).find((claim) => claim.taskId === taskId);
}

/** Returns why a claim of the task is no longer its run's, as a clause about the task: `a person skipped it`. */
export async function whyClaimEnded(q: Reader, taskId: string): Promise<string> {
  const task = await getTask(q, taskId);
  if (!task) return "it was removed";
  const { status, statusReason, blockCause } = task;
  const why = statusReason === null ? "" : `: ${statusReason}`;
  switch (status) {
    case "failed":
      return `it was marked failed${why}`;
    case "blocked":
      return blockCause === "person" && statusReason === skippedReason
        ? "a person skipped it"
        : `it was blocked${why}`;
    case "done":
      return "it was marked done";
    case "pending":
      return "it was reopened";
    case "in_progress":
      return "another run claimed it";
  }
}

/** The reason of a task that a person skipped. */
export const skippedReason = "skipped";
