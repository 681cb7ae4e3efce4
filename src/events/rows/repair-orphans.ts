import type { Tx } from "../../store/db.ts";
import { type Orphan, quoted } from "../../store/dialect.ts";

/** Deleting a row can create new orphans, as deep as tables refer to tables. */
const maxPasses = 20;

/**
 * Repairs rows whose parent is missing, as after a damaged log, so that the rest can be kept: sets the reference to
 * null where the column allows it, and deletes the row elsewhere.
 */
export async function repairOrphans(tx: Tx): Promise<void> {
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const orphans = await tx.dialect.orphans();
    if (orphans.length === 0) return;
    for (const orphan of orphans) await repairOrphan(tx, orphan);
  }
}

async function repairOrphan(tx: Tx, { table, where, columns }: Orphan): Promise<void> {
  if (columns.some(({ nullable }) => !nullable)) {
    await tx.run(`DELETE FROM ${quoted(table)} WHERE ${where.sql}`, where.params);
    return;
  }
  const emptied = columns.map(({ name }) => `${quoted(name)} = NULL`).join(", ");
  await tx.run(`UPDATE ${quoted(table)} SET ${emptied} WHERE ${where.sql}`, where.params);
}
