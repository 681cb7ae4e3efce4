import { expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import { readProcessRows } from "./process-rows.ts";

test("LOOP-22: of a long run, only the newest commits are kept for a rebuild", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (let n = 100; n < 150; n++)
      await tx.run(
        `INSERT INTO pending_commits (iteration_id, task_id, base, paths, message, created_at)
         VALUES (?, 't-1', '', '[]', 'work', ?)`,
        [`i-${n}`, `2026-01-02T03:04:05.${n}Z`],
      );
  });
  const rows = await readProcessRows(db);
  const commits = rows.filter(({ table }) => table === "pending_commits");
  expect(commits.map(({ row }) => row["iteration_id"])).toEqual(
    Array.from({ length: 20 }, (_, at) => `i-${149 - at}`),
  );
});
