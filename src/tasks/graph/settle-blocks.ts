import type { RedactedText } from "../../base/safe-text.ts";
import type { Tx } from "../../store/port/db.ts";
import { columnText } from "../../trust/safe-text.ts";
import { changeStatus } from "./change-status.ts";
import type { BlockCause, Task } from "./task.ts";
import { getTask } from "./task-store.ts";
import { waitersOf } from "./wait-path.ts";

interface Block {
  readonly cause: BlockCause & ("dependency" | "child");
  readonly reason: RedactedText;
}

/** A task that failed, or that is blocked because another one did. */
interface StoppedTask {
  readonly id: string;
  readonly status: "failed" | "blocked";
  readonly reason: RedactedText | null;
}

export interface SettledBlocks {
  readonly blocked: readonly Task[];
  readonly reopened: readonly Task[];
}

/**
 * Blocks every task that waits, directly or not, for a failed task, and reopens those that no longer do. Leaves blocks
 * with other causes. Idempotent.
 */
export async function settleBlocks(tx: Tx, now: Date): Promise<SettledBlocks> {
  const rows = await tx.all<StoppedTask>(
    `SELECT id, status, status_reason AS "reason" FROM tasks
      WHERE status = 'failed' OR (status = 'blocked' AND block_cause IN ('dependency', 'child')) ORDER BY position, id`,
  );
  const blocks = await blocksByFailure(
    tx,
    rows.filter(({ status }) => status === "failed"),
  );
  const reopened: Task[] = [];
  for (const { id, status } of rows) {
    if (status === "failed" || blocks.has(id)) continue;
    const change = { id, status: "pending", type: "task.updated", verb: "reopened" } as const;
    reopened.push(await changeStatus(tx, change, now));
  }
  const blocked: Task[] = [];
  for (const [id, block] of blocks) {
    const task = await getTask(tx, id);
    if (!task || !shouldBlock(task, block)) continue;
    blocked.push(await changeStatus(tx, { id, status: "blocked", ...block, type: "task.blocked" }, now));
  }
  return { blocked, reopened };
}

/** Returns the blocks of all unfinished tasks that wait, directly or not, for a failed task; nearest first. */
async function blocksByFailure(tx: Tx, failed: readonly StoppedTask[]): Promise<ReadonlyMap<string, Block>> {
  const reasons = new Map(
    failed.map(({ id, reason }) => [id, columnText(reason ? `${id} failed: ${reason}` : `${id} failed`)]),
  );
  const blocks = new Map<string, Block>();
  let frontier = failed.map(({ id }) => id);
  while (frontier.length > 0) {
    const next: string[] = [];
    for (const { waitedFor, waiter, kind, waiterStatus } of await waitersOf(tx, frontier)) {
      if (waiterStatus === "done" || reasons.has(waiter)) continue;
      const reason = reasons.get(waitedFor) ?? columnText(`${waitedFor} failed`);
      reasons.set(waiter, reason);
      blocks.set(waiter, { cause: kind, reason });
      next.push(waiter);
    }
    frontier = next;
  }
  return blocks;
}

function shouldBlock(task: Task, block: Block): boolean {
  if (task.status === "pending") return true;
  if (task.status !== "blocked") return false;
  const byFailure = task.blockCause === "dependency" || task.blockCause === "child";
  return byFailure && (task.blockCause !== block.cause || task.statusReason !== block.reason);
}
