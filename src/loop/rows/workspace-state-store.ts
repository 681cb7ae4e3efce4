import { parseJson } from "../../base/json.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { initialState, type WorkspaceState } from "./workspace-state.ts";

/** The slot whose tree is the project's own. */
const inPlace = "project";

export async function readWorkspaceState(db: Reader): Promise<WorkspaceState> {
  const row = await db.get<{ state: string }>("SELECT state FROM workspace_state WHERE slot = ?", [inPlace]);
  return row ? (parseJson(row.state) as unknown as WorkspaceState) : initialState;
}

export async function writeWorkspaceState(tx: Tx, state: WorkspaceState): Promise<void> {
  await tx.run(
    `INSERT INTO workspace_state (slot, state) VALUES (?, ?)
     ON CONFLICT (slot) DO UPDATE SET state = excluded.state`,
    [inPlace, JSON.stringify(state)],
  );
}
