import type { Tx } from "../../store/db.ts";
import { quoted } from "./known-tables.ts";

interface Orphan {
  readonly table: string;
  readonly rowid: number;
  readonly fkid: number;
}

interface ForeignKeyColumn {
  readonly id: number;
  readonly from: string;
  readonly notnull: number;
}

/**
 * Mends rows whose parent a damaged log no longer has, so that the rest can be kept: the reference is emptied where
 * it may be, else the row goes. SQLite only.
 */
export async function repairOrphans(tx: Tx): Promise<void> {
  // Deleting a row can leave new ones behind, as often as tables refer to tables.
  for (let pass = 0; pass < 20; pass += 1) {
    const orphans = await tx.all<Orphan>('SELECT "table", rowid, fkid FROM pragma_foreign_key_check');
    if (orphans.length === 0) return;
    for (const orphan of orphans) await repairOrphan(tx, orphan);
  }
}

async function repairOrphan(tx: Tx, { table, rowid, fkid }: Orphan): Promise<void> {
  const columns = await tx.all<ForeignKeyColumn>(
    `SELECT k.id AS id, k."from" AS "from", c."notnull" OR c.pk > 0 AS "notnull"
     FROM pragma_foreign_key_list(?) AS k JOIN pragma_table_info(?) AS c ON c.name = k."from" WHERE k.id = ?`,
    [table, table, fkid],
  );
  if (columns.some(({ notnull }) => notnull === 1)) {
    await tx.run(`DELETE FROM ${quoted(table)} WHERE rowid = ?`, [rowid]);
    return;
  }
  const emptied = columns.map(({ from }) => `${quoted(from)} = NULL`).join(", ");
  await tx.run(`UPDATE ${quoted(table)} SET ${emptied} WHERE rowid = ?`, [rowid]);
}
