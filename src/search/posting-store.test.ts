import { expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import { appendPostings, readDocIds, readPostingLists } from "./posting-store.ts";

test("LEARN-4: a word's list has each document once and in order, however many came at a time", async () => {
  const db = await openTempStore();
  const expected: number[] = [];
  let next = 0;
  for (const size of [1, 126, 1, 1, 300, 127, 129, 2, 256]) {
    const numbers = Array.from({ length: size }, () => {
      next += 1 + (next % 3);
      return next;
    });
    expected.push(...numbers);
    await db.transaction((tx) => appendPostings(tx, 7, new Map([["wörd", numbers]])));
    const [list] = await readPostingLists(db, ["wörd", "other"]);
    if (!list) throw new Error("no list");
    expect(list.documents).toBe(expected.length);
    const all = await readDocIds(db, list, Number.POSITIVE_INFINITY);
    expect(all.toSorted((a, b) => a - b)).toEqual(expected);
    const last = await readDocIds(db, list, 10);
    expect(last.length).toBeLessThanOrEqual(10 + 128);
    expect(expected.slice(-Math.min(10, expected.length)).every((number) => last.includes(number))).toBe(
      true,
    );
  }
});
