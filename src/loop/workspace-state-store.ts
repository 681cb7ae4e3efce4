import { isObject, parseJson } from "../base/json.ts";
import type { Reader, Tx } from "../store/db.ts";
import type { Baseline } from "../workspace/baseline.ts";
import type { Guard } from "../workspace/guard.ts";

/**
 * Whose work lies in the project's tree. It outlives ralph, so that the next run knows a retry's leftovers from a
 * person's edits.
 */
export interface WorkspaceState {
  /** The task whose changes are in the tree; null: only a person's. */
  readonly taskId: string | null;
  /** What was a person's when that task began, and where HEAD stood. */
  readonly baseline: Baseline | null;
  /** Paths that the task's last attempt left changed; null while an iteration runs (or died). */
  readonly leftover: readonly string[] | null;
  /** Where the task's last attempt left HEAD: who moves it afterwards is a person. Unknown while an iteration runs. */
  readonly leftAt: Position | null;
  /** What ralph is taking out of the tree; after a kill the next start finishes it. */
  readonly removal: Rollback | null;
  /** What the agent of a running (or killed) iteration may not rewrite. */
  readonly guard: Guard | null;
  /** Task → ref under which its changes wait for its retry. */
  readonly salvages: Readonly<Record<string, string>>;
  /** Paths that finished tasks left uncommitted, as `commit.enabled: false` wants it. */
  readonly finished: readonly string[];
}

/** Work that leaves the tree: decided, and for as long as it is written down perhaps done in part only. */
export interface Rollback {
  /** Where the work is kept: below `refs/ralph/salvage/`, or `refs/ralph/rollback/` when it does not come back. */
  readonly ref: string;
  /** The task's uncommitted paths. */
  readonly paths: readonly string[];
  /** What its agent's commits changed: they leave the branch too. */
  readonly committed: readonly string[];
  /** Where HEAD stood. */
  readonly at: Position;
}

type Position = Pick<Baseline, "head" | "branch">;

/** A tree that no task's work lies in. */
export const emptyTreeState = {
  taskId: null,
  baseline: null,
  leftover: null,
  leftAt: null,
  removal: null,
  guard: null,
} as const;
export const initialState: WorkspaceState = { ...emptyTreeState, salvages: {}, finished: [] };

interface StateRow {
  readonly taskId: string | null;
  readonly baseline: string | null;
  readonly salvages: string;
}

export async function readWorkspaceState(db: Reader): Promise<WorkspaceState> {
  const row = await db.get<StateRow>(
    `SELECT task_id AS "taskId", baseline, salvages FROM workspace_state WHERE id = 1`,
  );
  if (!row) return initialState;
  const kept = row.baseline ? parseJson(row.baseline) : undefined;
  const salvages = parseJson(row.salvages);
  const state = isObject(kept)
    ? (kept as unknown as Omit<WorkspaceState, "taskId" | "salvages">)
    : initialState;
  return {
    taskId: row.taskId,
    baseline: state.baseline,
    leftover: state.leftover,
    leftAt: state.leftAt ?? null,
    removal: state.removal ?? null,
    guard: state.guard ?? null,
    salvages: isObject(salvages) ? (salvages as Record<string, string>) : {},
    finished: state.finished ?? [],
  };
}

export async function writeWorkspaceState(tx: Tx, state: WorkspaceState): Promise<void> {
  await tx.run(
    `INSERT INTO workspace_state (id, task_id, baseline, salvages) VALUES (1, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET task_id = excluded.task_id, baseline = excluded.baseline, salvages = excluded.salvages`,
    [
      state.taskId,
      JSON.stringify({
        baseline: state.baseline,
        leftover: state.leftover,
        leftAt: state.leftAt,
        removal: state.removal,
        guard: state.guard,
        finished: state.finished,
      }),
      JSON.stringify(state.salvages),
    ],
  );
}
