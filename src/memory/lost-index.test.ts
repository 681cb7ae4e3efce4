import { beforeEach, expect, test } from "vitest";
import { openTempMemory, start } from "../../test/temp-memory.ts";
import { findLearnings } from "./learnings/find-learnings.ts";
import { ensureIndex } from "./repair-index.ts";

let { db, add } = {} as Awaited<ReturnType<typeof openTempMemory>>;
beforeEach(async () => {
  ({ db, add } = await openTempMemory());
});

test("LEARN-4: a store whose index is gone is made findable again when it is opened", async () => {
  const { id } = await add("Zones are parsed before days here.");
  const find = async (): Promise<readonly string[]> =>
    (await findLearnings(db, { text: "zones", limit: 5, now: start, scope: null, tags: [] })).found.map(
      ({ id: found }) => found,
    );
  await db.transaction(async (tx) => {
    for (const table of ["shelves", "documents", "lists", "blocks"])
      await tx.run(`DELETE FROM retrieval_${table}`);
  });
  expect(await find()).toEqual([]);
  await ensureIndex(db);
  expect(await find()).toEqual([id]);
});
