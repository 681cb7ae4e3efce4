import type { Owner } from "../../base/owner.ts";
import type { RedactedText, SafeText } from "../../base/safe-text.ts";
import { eventsOfRun } from "../../events/event-store.ts";
import type { Reader, SqlParam, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";
import { leaseMs } from "../../tasks/graph/claim-store.ts";

/** The row of one `ralph run`. */
export interface RunRow {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly agent: string;
  readonly strategy: string;
  /** The name given with `--name`. */
  readonly session: RedactedText | null;
  readonly stopReason: string | null;
  readonly exitCode: number | null;
  readonly iterations: number;
  /** A user's request from another terminal; null: none. */
  readonly control: ControlRequest | null;
  /** When it was paused; null: it is not paused. */
  readonly pausedAt: string | null;
  readonly owner: Owner;
  /** The name of its machine, where several may share the store. */
  readonly machine?: string;
  /** False: of another working copy, whose machine shares the store. */
  readonly isHere: boolean;
  /** True: it shares the store, and was not renewed for a lease. */
  readonly isSilent: boolean;
}

/** `stop-now` has the effect of a second Ctrl-C. */
export type ControlRequest = "pause" | "stop" | "stop-now";

interface NewRun {
  readonly id: string;
  readonly startedAt: string;
  readonly agent: string;
  readonly model: string | null;
  readonly strategy: string;
  readonly session: SafeText | null;
  readonly branch: string | null;
  readonly owner: Owner;
}

export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  const { id, startedAt, agent, model, strategy, session, branch } = run;
  const { pid, startTime, bootId, host } = run.owner;
  await insertRow(tx, "runs", {
    ...{ id, started_at: startedAt, agent, model, strategy, session, branch, place: tx.dialect.place },
    ...{ pid, start_time: startTime, boot_id: bootId, host },
  });
  await renewRun(tx, id, new Date(startedAt));
}

/** The reason of a run that another machine ended, as it was not renewed for a lease: its process may live. */
export const givenUp = "given-up";

/** Shows other machines that the run lives, also after they gave it up. */
export async function renewRun(tx: Tx, id: string, now: Date): Promise<void> {
  const beat = tx.dialect.stamp(now);
  await tx.run(
    `UPDATE runs SET heartbeat_at = ${beat.sql}, ended_at = CASE WHEN stop_reason = ? THEN NULL ELSE ended_at END,
       stop_reason = CASE WHEN stop_reason = ? THEN NULL ELSE stop_reason END WHERE id = ?`,
    [...beat.params, givenUp, givenUp, id],
  );
}

/** Stores the branch that the run works on. */
export async function setBranch(tx: Tx, id: string, branch: string | null): Promise<void> {
  await tx.run("UPDATE runs SET branch = ? WHERE id = ?", [branch, id]);
}

export async function countIteration(tx: Tx, runId: string): Promise<void> {
  await tx.run("UPDATE runs SET iterations = iterations + 1 WHERE id = ?", [runId]);
}

export async function endRun(
  tx: Tx,
  run: {
    readonly id: string;
    readonly endedAt: string;
    readonly reason: string;
    readonly exitCode: number | null;
  },
): Promise<void> {
  await tx.run(
    "UPDATE runs SET ended_at = ?, stop_reason = ?, exit_code = ?, paused_at = NULL WHERE id = ?",
    [run.endedAt, run.reason, run.exitCode, run.id],
  );
}

/** Stores a request for a run. Returns false when the run has ended, or is already asked to stop. */
export async function setControl(tx: Tx, id: string, request: ControlRequest | null): Promise<boolean> {
  const now = await readControl(tx, id);
  if (request !== "stop-now" && now !== null && now !== "pause" && now !== request) return false;
  return (await tx.run("UPDATE runs SET control = ? WHERE id = ? AND ended_at IS NULL", [request, id])) > 0;
}

/** Returns the request of a user for a run; null: none. */
export async function readControl(q: Reader, id: string): Promise<ControlRequest | null> {
  const row = await q.get<{ control: string | null }>("SELECT control FROM runs WHERE id = ?", [id]);
  return parseControl(row?.control ?? null);
}

function parseControl(control: string | null): ControlRequest | null {
  return (["pause", "stop", "stop-now"] as const).find((one) => one === control) ?? null;
}

/** Stores when the run was paused; null: it resumed. */
export async function setPaused(tx: Tx, id: string, at: string | null): Promise<void> {
  await tx.run("UPDATE runs SET paused_at = ? WHERE id = ?", [at, id]);
}

const columns = `id, started_at AS "startedAt", ended_at AS "endedAt", agent, strategy, session, stop_reason AS "stopReason",
  exit_code AS "exitCode", iterations, control, paused_at AS "pausedAt", pid, start_time AS "startTime", boot_id AS "bootId", host,
  COALESCE(place, '') AS place`;

type Flat = Omit<RunRow, "owner" | "control" | "isHere" | "isSilent"> &
  Owner & { readonly control: string | null; readonly place: string; readonly silent: number };

/** Reads the runs that fit the end of a statement. */
async function readRuns(
  q: Reader,
  end: string,
  values: readonly SqlParam[] = [],
): Promise<readonly RunRow[]> {
  const { sql, params } = q.dialect.stamp(new Date(), leaseMs);
  const silent = `CASE WHEN place <> '' AND heartbeat_at < ${sql} THEN 1 ELSE 0 END AS silent`;
  const rows = await q.all<Flat>(`SELECT ${columns}, ${silent} FROM runs ${end}`, [...params, ...values]);
  return rows.map(({ pid, startTime, bootId, host, control, place, silent, ...run }) => ({
    ...run,
    control: parseControl(control),
    owner: { pid, startTime, bootId, host },
    ...(place === "" ? {} : { machine: host }),
    isHere: place === q.dialect.place,
    isSilent: silent === 1,
  }));
}

/** Returns the runs without an end, those of this working copy first. Their process may be gone. */
export async function openRuns(db: Reader): Promise<readonly RunRow[]> {
  const runs = await readRuns(db, "WHERE ended_at IS NULL ORDER BY started_at");
  return [...runs.filter(({ isHere }) => isHere), ...runs.filter(({ isHere }) => !isHere)];
}

/** Returns the runs of this working copy whose process may live or whose work is not recovered, oldest first. */
export async function runsHere(db: Reader): Promise<readonly RunRow[]> {
  return readRuns(
    db,
    "WHERE COALESCE(place, '') = ? AND (ended_at IS NULL OR stop_reason = ?) ORDER BY started_at",
    [db.dialect.place, givenUp],
  );
}

export async function runById(db: Reader, id: string): Promise<RunRow | undefined> {
  return (await readRuns(db, "WHERE id = ?", [id]))[0];
}

/** Returns the latest runs, newest first, without refused ones, undos and decisions on skills. */
export async function recentRuns(db: Reader, last: number): Promise<readonly RunRow[]> {
  return readRuns(
    db,
    `WHERE stop_reason IS NULL OR stop_reason NOT IN ('refused', 'undo', 'skills')
     ORDER BY started_at DESC, id DESC LIMIT ?`,
    [last],
  );
}

/** Returns the latest run, without refused ones, undos and decisions on skills. */
export async function latestRun(db: Reader): Promise<RunRow | undefined> {
  return (await recentRuns(db, 1))[0];
}

/** Returns the branch of the newest run of this working copy whose branch begins with `prefix`; null: there is none. */
export async function lastBranch(q: Reader, prefix: string): Promise<string | null> {
  const row = await q.get<{ branch: string }>(
    "SELECT branch FROM runs WHERE substr(branch, 1, ?) = ? AND COALESCE(place, '') = ? ORDER BY started_at DESC LIMIT 1",
    [prefix.length, prefix, q.dialect.place],
  );
  return row?.branch ?? null;
}

/** Runs that are looked through for the branches on which they landed. */
const maxLanded = 50;

/** Returns the branches on which runs of this working copy landed without changing its folder, the newest first. */
export async function landedBranches(q: Reader): Promise<readonly string[]> {
  const runs = await q.all<{ id: string; branch: string }>(
    `SELECT id, branch FROM runs WHERE branch IS NOT NULL AND COALESCE(place, '') = ? ORDER BY started_at DESC LIMIT ${maxLanded}`,
    [q.dialect.place],
  );
  const landed: string[] = [];
  for (const { id, branch } of runs.filter(
    (run, at) => runs.findIndex((one) => one.branch === run.branch) === at,
  )) {
    // The others are made by ralph alone.
    const [started] = branch.startsWith("ralph/") ? [] : await eventsOfRun(q, id, "run.started");
    const isApart = started !== undefined && !started.data.includes('"workers":null');
    if (isApart || branch.startsWith("ralph/")) landed.push(branch);
  }
  return landed;
}

/** Returns the ids of the runs that worked on a branch, oldest first. */
export async function runsOnBranch(q: Reader, branch: string): Promise<readonly string[]> {
  const sql = "SELECT id FROM runs WHERE branch = ? ORDER BY started_at, id";
  return (await q.all<{ id: string }>(sql, [branch])).map(({ id }) => id);
}
