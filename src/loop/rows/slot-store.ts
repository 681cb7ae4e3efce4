import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";

/** A slot with a work tree. */
export interface SlotRow {
  readonly slot: string;
  /** The full name of the branch on which its work lands. */
  readonly branch: string;
}

/** Records a tree before it is made, so that the next start finds it after a kill. */
export async function insertSlot(tx: Tx, { slot, branch }: SlotRow): Promise<void> {
  await insertRow(tx, "slots", { slot: tx.dialect.place + slot, branch }, ["slot"]);
}

/** Returns the slots of this working copy whose trees are there, or were when a run was killed. */
export async function slotsLeft(q: Reader): Promise<readonly SlotRow[]> {
  const { length } = q.dialect.place;
  return q.all<SlotRow>(
    "SELECT substr(slot, ?) AS slot, branch FROM slots WHERE substr(slot, 1, ?) = ? ORDER BY slot",
    [length + 1, length, q.dialect.place],
  );
}

/** Removes a slot whose tree is gone. */
export async function deleteSlot(tx: Tx, slot: string): Promise<void> {
  await tx.run("DELETE FROM slots WHERE slot = ?", [tx.dialect.place + slot]);
}
