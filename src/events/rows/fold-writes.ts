import { isObject } from "../../base/json.ts";
import type { Row, SqlValue } from "../../store/db.ts";
import type { FoldedPuts, RecordedWrite, TableWrite } from "../event.ts";

/** Fewer rows are stored one by one: they are easier to read. */
const minRows = 8;

/** Returns the same writes in the same order, with long sequences of puts into one table folded. */
export function foldWrites(writes: readonly TableWrite[]): readonly RecordedWrite[] {
  if (writes.length < minRows) return writes;
  const folded: RecordedWrite[] = [];
  for (let from = 0; from < writes.length; ) {
    const end = endOfSequence(writes, from);
    const some = writes.slice(from, end);
    for (const one of some.length < minRows ? some : [fold(some)]) folded.push(one);
    from = end;
  }
  return folded;
}

/** Returns the end of the sequence of puts into one table that begins at `from`, at least one write. */
function endOfSequence(writes: readonly TableWrite[], from: number): number {
  const first = writes[from];
  let end = from + 1;
  if (first?.op !== "put") return end;
  while (writes[end]?.table === first.table && writes[end]?.op === "put") end += 1;
  return end;
}

function fold(writes: readonly TableWrite[]): FoldedPuts {
  const first: Row = writes[0]?.row ?? {};
  const isShared = (name: string): boolean => writes.every(({ row }) => row[name] === first[name]);
  const shared = new Set(Object.keys(first).filter(isShared));
  const rows = writes.map(({ row }) => without(row, shared));
  return { table: writes[0]?.table ?? "", op: "put", shared: without(first, shared, true), rows };
}

/** Returns the values of `row` that are not named, or only those. A loop: imports fold thousands of rows. */
function without(row: Row, names: ReadonlySet<string>, inverse = false): Row {
  // Without a prototype, so that any name is a column.
  const kept = Object.create(null) as Record<string, SqlValue>;
  for (const name in row) if (names.has(name) === inverse) kept[name] = row[name] ?? null;
  return kept;
}

/** Returns the single writes of an event's `rows` as read from a log: what is malformed stays as it is. */
export function unfoldWrites(recorded: unknown): readonly unknown[] {
  if (!Array.isArray(recorded)) return [];
  return (recorded as readonly unknown[]).flatMap((write) => {
    if (!isObject(write) || !isObject(write["shared"]) || !Array.isArray(write["rows"])) return [write];
    const { table, op, shared, rows } = write;
    return rows.map((row) => (isObject(row) ? { table, op, row: { ...shared, ...row } } : row));
  });
}
