import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import type { Baseline } from "../../workspace/baseline.ts";
import type { OverwrittenFile } from "../../workspace/protect-paths.ts";
import type { TestsRun } from "./tests-run.ts";
import { initialState, type Position, type Rollback, type WorkspaceState } from "./workspace-state.ts";

interface StateRow {
  readonly taskId: string | null;
  readonly baseline: string | null;
  readonly salvages: string;
}

/** The `baseline` column. Which fields are set says which state it is; stores of all versions have this form. */
interface StoredState {
  readonly baseline?: Baseline | null;
  readonly leftover?: readonly string[] | null;
  readonly leftAt?: Position | null;
  readonly removal?: Rollback | null;
  readonly finished?: readonly string[];
  readonly verifying?: readonly string[];
  readonly verifyingFrom?: Baseline;
  readonly overwritten?: readonly OverwrittenFile[];
  readonly testsRun?: TestsRun;
}

export async function readWorkspaceState(db: Reader): Promise<WorkspaceState> {
  const row = await db.get<StateRow>(
    `SELECT task_id AS "taskId", baseline, salvages FROM workspace_state WHERE id = 1`,
  );
  if (!row) return initialState;
  const stored = (objectOf(row.baseline) ?? {}) as StoredState;
  const salvages = (objectOf(row.salvages) ?? {}) as Record<string, string>;
  const { baseline, leftover, leftAt = null, removal, finished = [], overwritten, testsRun } = stored;
  const every = {
    ...{ salvages, finished },
    ...(overwritten ? { overwritten } : {}),
    ...(testsRun ? { testsRun } : {}),
  };
  if (row.taskId === null || !baseline) return { kind: "free", ...every, ...whileVerifying(stored) };
  const owned = { ...every, taskId: row.taskId, baseline };
  if (removal) return { kind: "removing", ...owned, removal };
  if (leftover) return { kind: "left", ...owned, leftover, leftAt };
  return { kind: "held", ...owned, leftAt };
}

function objectOf(text: string | null): JsonObject | undefined {
  const value = text === null ? undefined : parseJson(text);
  return isObject(value) ? value : undefined;
}

export async function writeWorkspaceState(tx: Tx, state: WorkspaceState): Promise<void> {
  const { finished, overwritten, testsRun } = state;
  const none = {
    baseline: null,
    leftover: null,
    leftAt: null,
    removal: null,
    finished,
    overwritten,
    testsRun,
  };
  const taskId = state.kind === "free" ? null : state.taskId;
  const baseline = JSON.stringify({ ...none, ...fieldsOf(state) });
  const salvages = JSON.stringify(state.salvages);
  await tx.run(
    `INSERT INTO workspace_state (id, task_id, baseline, salvages) VALUES (1, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET task_id = excluded.task_id, baseline = excluded.baseline, salvages = excluded.salvages`,
    [taskId, baseline, salvages],
  );
}

function whileVerifying({
  verifying,
  verifyingFrom,
}: Pick<StoredState, "verifying" | "verifyingFrom">): Pick<StoredState, "verifying" | "verifyingFrom"> {
  return { ...(verifying ? { verifying } : {}), ...(verifyingFrom ? { verifyingFrom } : {}) };
}

function fieldsOf(state: WorkspaceState): StoredState {
  switch (state.kind) {
    case "free":
      return whileVerifying(state);
    case "held":
      return { baseline: state.baseline, leftAt: state.leftAt };
    case "left":
      return { baseline: state.baseline, leftover: state.leftover, leftAt: state.leftAt };
    case "removing":
      return { baseline: state.baseline, removal: state.removal };
  }
}
