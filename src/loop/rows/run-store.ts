import type { Owner } from "../../base/owner.ts";
import type { RedactedText, SafeText } from "../../base/safe-text.ts";
import type { Reader, Tx } from "../../store/port/db.ts";

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
  const { pid, startTime, bootId, host } = run.owner;
  await tx.run(
    `INSERT INTO runs (id, started_at, agent, model, strategy, session, branch, pid, start_time, boot_id, host)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      run.id,
      run.startedAt,
      run.agent,
      run.model,
      run.strategy,
      run.session,
      run.branch,
      pid,
      startTime,
      bootId,
      host,
    ],
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
  exit_code AS "exitCode", iterations, control, paused_at AS "pausedAt", pid, start_time AS "startTime", boot_id AS "bootId", host`;

type Flat = Omit<RunRow, "owner" | "control"> & Owner & { readonly control: string | null };

function toRun({ pid, startTime, bootId, host, control, ...run }: Flat): RunRow {
  return { ...run, control: parseControl(control), owner: { pid, startTime, bootId, host } };
}

/** Returns the runs without an end. Their process may be gone. */
export async function openRuns(db: Reader): Promise<readonly RunRow[]> {
  return (await db.all<Flat>(`SELECT ${columns} FROM runs WHERE ended_at IS NULL ORDER BY started_at`)).map(
    toRun,
  );
}

export async function runById(db: Reader, id: string): Promise<RunRow | undefined> {
  const row = await db.get<Flat>(`SELECT ${columns} FROM runs WHERE id = ?`, [id]);
  return row && toRun(row);
}

/** Returns the latest runs, newest first, without refused ones, undos and decisions on skills. */
export async function recentRuns(db: Reader, last: number): Promise<readonly RunRow[]> {
  const rows = await db.all<Flat>(
    `SELECT ${columns} FROM runs WHERE stop_reason IS NULL OR stop_reason NOT IN ('refused', 'undo', 'skills')
     ORDER BY started_at DESC, id DESC LIMIT ?`,
    [last],
  );
  return rows.map(toRun);
}

/** Returns the latest run, without refused ones, undos and decisions on skills. */
export async function latestRun(db: Reader): Promise<RunRow | undefined> {
  const row = await db.get<Flat>(
    `SELECT ${columns} FROM runs WHERE stop_reason IS NULL OR stop_reason NOT IN ('refused', 'undo', 'skills')
     ORDER BY started_at DESC, id DESC LIMIT 1`,
  );
  return row && toRun(row);
}

/** Returns the branch of the newest run whose branch begins with `prefix`; null: there is none. */
export async function lastBranch(q: Reader, prefix: string): Promise<string | null> {
  const row = await q.get<{ branch: string }>(
    "SELECT branch FROM runs WHERE substr(branch, 1, ?) = ? ORDER BY started_at DESC LIMIT 1",
    [prefix.length, prefix],
  );
  return row?.branch ?? null;
}

/** Returns the ids of the runs that worked on a branch, oldest first. */
export async function runsOnBranch(q: Reader, branch: string): Promise<readonly string[]> {
  const sql = "SELECT id FROM runs WHERE branch = ? ORDER BY started_at, id";
  return (await q.all<{ id: string }>(sql, [branch])).map(({ id }) => id);
}
