import type { SafeText } from "../../../base/safe-text.ts";
import { record } from "../../../events/outbox-store.ts";
import type { Reader, Tx } from "../../../store/db.ts";

/** How the project's last calls of the hivemind ended. Times are ISO 8601. */
export interface HivemindHealth {
  readonly succeededAt: string | null;
  readonly failedAt: string | null;
  /** The last error. */
  readonly error: string | null;
  /** After a time-out: not called before this time. */
  readonly skippedUntil: string | null;
}

/** The end of a call. */
export interface CallResult {
  /** Null: it succeeded. */
  readonly error: SafeText | null;
  readonly skippedUntil: string | null;
}

const columns = `succeeded_at AS "succeededAt", failed_at AS "failedAt", error, skipped_until AS "skippedUntil"`;
const noCalls: HivemindHealth = { succeededAt: null, failedAt: null, error: null, skippedUntil: null };
const key = "last";
/** A success is recorded again after this time at the earliest, in milliseconds. */
const minAgeMs = 60_000;

export async function readHealth(q: Reader): Promise<HivemindHealth> {
  const row = await q.get<HivemindHealth>(`SELECT ${columns} FROM hivemind_health WHERE id = ?`, [key]);
  return row ?? noCalls;
}

/** Records how a call ended: a change at once, repeated successes once a minute. */
export async function putHealth(
  tx: Tx,
  { error, skippedUntil }: CallResult,
  { runId, now }: { readonly runId: string | null; readonly now: Date },
): Promise<void> {
  const before = await readHealth(tx);
  const at = now.toISOString();
  const wasFine = before.succeededAt !== null && (before.failedAt ?? "") < before.succeededAt;
  if (error === null && wasFine && now.getTime() - Date.parse(before.succeededAt) < minAgeMs) return;
  const row = {
    id: key,
    succeeded_at: error === null ? at : before.succeededAt,
    failed_at: error === null ? before.failedAt : at,
    error: error ?? before.error,
    skipped_until: skippedUntil,
  };
  await tx.run(
    `INSERT INTO hivemind_health (id, succeeded_at, failed_at, error, skipped_until) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET succeeded_at = excluded.succeeded_at, failed_at = excluded.failed_at,
       error = excluded.error, skipped_until = excluded.skipped_until`,
    Object.values(row),
  );
  const data = error === null ? {} : { error };
  const type = error === null ? "hivemind.answered" : "hivemind.failed";
  await record(tx, { type, runId, data, rows: [{ table: "hivemind_health", op: "put", row }] }, now);
}
