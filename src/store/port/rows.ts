import type { Reader, SqlValue, Tx } from "./db.ts";

/** Inserts a row. With `key`, the columns of its primary key, a row that has it gets the other values. */
export async function insertRow(
  tx: Tx,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
  key: readonly string[] = [],
): Promise<void> {
  const names = Object.keys(row);
  const changes = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  const replace =
    key.length > 0 ? ` ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changes.join(", ")}` : "";
  await tx.run(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})${replace}`,
    Object.values(row),
  );
}

/** Returns the number `n` that a query selects; 0 where it is null, or without a row. */
export async function readNumber(q: Reader, sql: string, values: readonly SqlValue[] = []): Promise<number> {
  return Number((await q.get<{ n: number | null }>(sql, values))?.n ?? 0);
}
