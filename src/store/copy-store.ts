import { RalphError } from "../base/errors.ts";
import { projectTables } from "./migrations/schema-tables.ts";
import type { Db, Reader, Row, Tx } from "./port/db.ts";

/** A table with its number of rows. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/** Rows of these tables refer to rows of the same one, by this column. */
const parents: Readonly<Record<string, string>> = { tasks: "parent_id", learnings: "superseded_by" };

/** Columns that begin with `Dialect.place`. */
const placed: Readonly<Record<string, string>> = {
  runs: "place",
  slots: "slot",
  workspace_state: "slot",
  pending_commits: "slot",
};

/**
 * Copies all rows of a project's store into one that holds none, in one transaction. What belongs to the working copy of `from` belongs to
 * that of `to` then. Returns the tables with rows.
 *
 * @throws RalphError `RALPH_STORE_COPY` when `to` holds rows, or the counts differ
 */
export async function copyStore(from: Db, to: Db): Promise<readonly CopiedTable[]> {
  const view = await from.view();
  try {
    return await to.transaction(async (tx) => {
      for (const { table, rows } of await countRows(tx))
        if (rows > 0) throw failed(`${to.location} holds ${rows} rows of ${table}`, "name an empty store");
      for (const { name, columns } of projectTables()) {
        const rows = await view.all(`SELECT ${columns.join(", ")} FROM ${name}`);
        const move = placeMover(name, from.dialect.place, to.dialect.place);
        await insertRows(tx, name, parentsFirst(rows.map(move), parents[name]));
      }
      await tx.dialect.continueNumbers();
      const [read, written] = [await countRows(view), await countRows(tx)];
      for (const [at, { table, rows }] of read.entries())
        if (written[at]?.rows !== rows) throw failed(`${table} has ${rows} rows, not all were copied`, null);
      return read.filter(({ rows }) => rows > 0);
    });
  } finally {
    await view.close();
  }
}

function failed(problem: string, hint: string | null): RalphError {
  return new RalphError(
    "RALPH_STORE_COPY",
    `the store was not copied: ${problem}`,
    hint === null ? {} : { hint },
  );
}

async function countRows(q: Reader): Promise<readonly CopiedTable[]> {
  const counts: CopiedTable[] = [];
  for (const { name } of projectTables()) {
    const row = await q.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`);
    counts.push({ table: name, rows: Number(row?.n ?? 0) });
  }
  return counts;
}

/** Names the working copy in the rows of the other store. */
function placeMover(table: string, from: string, to: string): (row: Row) => Row {
  const column = placed[table];
  if (column === undefined) return (row) => row;
  return (row) => {
    const value = String(row[column] ?? "");
    return value.startsWith(from) ? { ...row, [column]: to + value.slice(from.length) } : row;
  };
}

/** Puts each row behind the one that it refers to. */
function parentsFirst(rows: readonly Row[], column: string | undefined): readonly Row[] {
  if (column === undefined) return rows;
  const placedIds = new Set<unknown>();
  const ordered: Row[] = [];
  for (let left = rows; left.length > 0; ) {
    const ready = left.filter((row) => row[column] === null || placedIds.has(row[column]));
    if (ready.length === 0) return ordered.concat(left);
    for (const row of ready) {
      placedIds.add(row["id"]);
      ordered.push(row);
    }
    left = left.filter((row) => !placedIds.has(row["id"]));
  }
  return ordered;
}

const rowsPerInsert = 50;

async function insertRows(tx: Tx, table: string, rows: readonly Row[]): Promise<void> {
  const names = Object.keys(rows[0] ?? {});
  const one = `(${names.map(() => "?").join(", ")})`;
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    const some = rows.slice(at, at + rowsPerInsert);
    const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES ${some.map(() => one).join(", ")}`;
    await tx.run(
      sql,
      some.flatMap((row) => names.map((name) => row[name] ?? null)),
    );
  }
}
