import { messageOf } from "../../base/errors.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { record } from "../../events/event-store.ts";
import type { Db, Reader, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";
import { safeLine } from "../../trust/safe-text.ts";

/** The memory kinds that keep something outside the store, which may be missing, locked or refused. */
export type HealthKind = "hivemind" | "structured-context" | "journal";

/** How the last uses of what a kind keeps outside the store ended. Times are ISO 8601. */
export interface Health {
  readonly succeededAt: string | null;
  readonly failedAt: string | null;
  /** The last error. */
  readonly error: string | null;
  /** After a time-out: not used before this time. */
  readonly skippedUntil: string | null;
}

/** The end of a use. */
export interface UseResult {
  /** Null: it succeeded. */
  readonly error: SafeText | null;
  readonly skippedUntil: string | null;
}

interface Occasion {
  readonly runId: string | null;
  readonly now: Date;
}

const columns = `succeeded_at AS "succeededAt", failed_at AS "failedAt", error, skipped_until AS "skippedUntil"`;
const unused: Health = { succeededAt: null, failedAt: null, error: null, skippedUntil: null };
/** The same end is recorded again after this time at the earliest, in milliseconds. */
const minAgeMs = 60_000;

export async function readHealth(q: Reader, kind: HealthKind): Promise<Health> {
  const row = await q.get<Health>(`SELECT ${columns} FROM memory_health WHERE kind = ?`, [kind]);
  return row ?? unused;
}

/** Returns the result of a use that ended with `error`; null: it succeeded. */
export function useResult(error: unknown): UseResult {
  return { error: error === null ? null : safeLine(messageOf(error), 500), skippedUntil: null };
}

/** Records how a use ended: a change at once, the same end once a minute. */
export async function putHealth(
  tx: Tx,
  kind: HealthKind,
  { error, skippedUntil }: UseResult,
  { runId, now }: Occasion,
): Promise<void> {
  const before = await readHealth(tx, kind);
  if (isKnown(before, { error, skippedUntil }, now)) return;
  const at = now.toISOString();
  const row = {
    kind,
    succeeded_at: error === null ? at : before.succeededAt,
    failed_at: error === null ? before.failedAt : at,
    error: error ?? before.error,
    skipped_until: skippedUntil,
  };
  await insertRow(tx, "memory_health", row, ["kind"]);
  const data = { kind, error };
  await record(tx, { type: "memory.health", runId, data }, now);
}

/** Records how a use beside other work ended, in a transaction of its own where there is something to record. */
export async function noteHealth(db: Db, kind: HealthKind, result: UseResult, by: Occasion): Promise<void> {
  if (isKnown(await readHealth(db, kind), result, by.now)) return;
  await db.transaction((tx) => putHealth(tx, kind, result, by));
}

/** Reports whether the last end was recorded less than a minute ago and was the same. */
function isKnown(before: Health, { error, skippedUntil }: UseResult, now: Date): boolean {
  const failedLast = (before.failedAt ?? "") > (before.succeededAt ?? "");
  const last = failedLast ? before.failedAt : before.succeededAt;
  if (last === null || now.getTime() - Date.parse(last) >= minAgeMs) return false;
  return failedLast ? error === before.error && skippedUntil === before.skippedUntil : error === null;
}
