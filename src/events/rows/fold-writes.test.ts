import fc from "fast-check";
import { expect, test } from "vitest";
import type { TableWrite } from "../event.ts";
import { foldWrites, unfoldWrites } from "./fold-writes.ts";

const cell = fc.oneof(fc.constantFrom("pending", "[]", null, 0), fc.string(), fc.integer());
const column = fc.constantFrom("id", "title", "status", "__proto__", "constructor");
const write: fc.Arbitrary<TableWrite> = fc.record({
  table: fc.constantFrom("tasks", "notes"),
  op: fc.constantFrom("put", "put", "put", "put", "delete"),
  row: fc.dictionary(column, cell, { noNullPrototype: true }),
});

/** A write as its parts, with the columns in one order: `toEqual` does not see a column named `__proto__`. */
const sorted = (one: unknown): unknown => {
  const { table, op, row } = one as TableWrite;
  return [table, op, Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))];
};

test("folded writes unfold to the same writes in the same order", () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 60 }), (writes) => {
      const stored: unknown = JSON.parse(JSON.stringify(foldWrites(writes)));
      expect(JSON.stringify(unfoldWrites(stored).map(sorted))).toBe(JSON.stringify(writes.map(sorted)));
    }),
    { numRuns: 300 },
  );
});

test("what all rows of a sequence have in common is written once", () => {
  const writes = Array.from({ length: 20 }, (_, n): TableWrite => {
    return { table: "tasks", op: "put", row: { id: `t-${n}`, status: "pending", tags: "[]" } };
  });
  const other: TableWrite = { table: "notes", op: "put", row: { id: "n-1" } };
  const [tasks, note] = foldWrites([...writes, other]);
  expect(tasks).toMatchObject({
    shared: { status: "pending", tags: "[]" },
    rows: writes.map(({ row: { id } }) => ({ id })),
  });
  expect(note).toEqual(other);
});

test("few writes, and what is malformed, stay as they are", () => {
  const few: TableWrite[] = [{ table: "tasks", op: "delete", row: { id: "t-1" } }];
  expect(foldWrites(few)).toEqual(few);
  expect(unfoldWrites("nonsense")).toEqual([]);
  const bad = [null, 3, { table: "tasks", op: "put", shared: 1, rows: [] }];
  expect(unfoldWrites(bad)).toEqual(bad);
  expect(unfoldWrites([{ table: "tasks", op: "put", shared: { a: 1 }, rows: [null, { id: "x" }] }])).toEqual([
    null,
    { table: "tasks", op: "put", row: { a: 1, id: "x" } },
  ]);
});
