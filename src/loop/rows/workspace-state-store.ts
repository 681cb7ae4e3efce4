import { parseJson } from "../../base/json.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { initialState, type WorkspaceState } from "./workspace-state.ts";

type Place = Pick<Workspace, "slot">;

/** Returns who owns the changes in a work tree. */
export async function readWorkspaceState(db: Reader, { slot }: Place): Promise<WorkspaceState> {
  const row = await db.get<{ state: string }>("SELECT state FROM workspace_state WHERE slot = ?", [
    db.dialect.place + slot,
  ]);
  return row ? (parseJson(row.state) as unknown as WorkspaceState) : initialState;
}

export async function writeWorkspaceState(tx: Tx, { slot }: Place, state: WorkspaceState): Promise<void> {
  const row = { slot: tx.dialect.place + slot, state: JSON.stringify(state) };
  await insertRow(tx, "workspace_state", row, ["slot"]);
}

/** Forgets a work tree that is gone. */
export async function deleteWorkspaceState(tx: Tx, { slot }: Place): Promise<void> {
  await tx.run("DELETE FROM workspace_state WHERE slot = ?", [tx.dialect.place + slot]);
}
