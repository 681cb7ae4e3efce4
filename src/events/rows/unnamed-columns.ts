import type { Row } from "../../store/db.ts";
import { unfoldWrites } from "./fold-writes.ts";
import type { KnownTable, KnownTables } from "./known-tables.ts";
import { isWrite } from "./replay-writes.ts";

/** By `rowName`: the columns that no event of the row names. Rows whose events name all columns are absent. */
export type UnnamedColumns = ReadonlyMap<string, ReadonlySet<string>>;

/** Names a row of any table. */
export function rowName({ name, key }: KnownTable, row: Row): string {
  return JSON.stringify([name, ...key.map((column) => row[column])]);
}

/** Notes which columns of the current schema the replayed writes leave open: later versions of ralph added them. */
export function createColumnRecord(tables: KnownTables): {
  see(writes: unknown): void;
  readonly unnamed: UnnamedColumns;
} {
  const unnamed = new Map<string, ReadonlySet<string>>();
  return {
    unnamed,
    see: (writes) => {
      for (const write of unfoldWrites(writes).filter(isWrite)) {
        const table = tables.get(write.table);
        if (!table) continue;
        const name = rowName(table, write.row);
        const open = unnamed.get(name) ?? table.columns;
        const left = [...open].filter((column) => !(column in write.row));
        if (write.op === "put" && left.length > 0) unnamed.set(name, new Set(left));
        else unnamed.delete(name);
      }
    },
  };
}
