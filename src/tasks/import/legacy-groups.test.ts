import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db } from "../../store/port/db.ts";
import { claimTask, releaseClaim } from "../graph/claim-store.ts";
import { nextTask } from "../graph/next-task.ts";
import { addDependency, blockersOf } from "../graph/task-graph.ts";
import { createTask, listTasks, requireTask } from "../graph/task-store.ts";
import { markDone } from "../graph/task-transitions.ts";
import { compareLists, importTasks, syncLists } from "../import-tasks.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const owner = { pid: 1, startTime: "1", bootId: "b", host: "h" };
const text =
  "# Plan\n\n## 1. Story\n- [x] 1.1 Parse\n- [ ] 1.2 Print\n  with care\n\n## 2. Next\n### 2.1 Part\n- [ ] 2.1.1 Sort\n\n## Done\n- [x] Old\n";
let root: string;
let db: Db;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "ralph-groups-"));
  db = await openTempStore();
  writeFileSync(join(root, "tasks.md"), text);
  await db.transaction(async (tx) => {
    const add = (id: string, title: string, key: string, parentId: string | null): Promise<unknown> =>
      createTask(
        tx,
        { id, title, parentId, source: { format: "markdown", path: "tasks.md", key }, priority: 1 },
        now,
      );
    // The rows of the version that imported headings as tasks, and continuation lines as part of the title.
    await add("1", "Story", "1", null);
    await add("1.1", "Parse", "1.1", "1");
    await add("1.2", "Print with care", "1.2", "1");
    await add("2", "Next", "2", null);
    await add("2.1", "Part", "2.1", "2");
    await add("2.1.1", "Sort", "2.1.1", "2.1");
    await add("t-done", "Done", "done", null);
    await add("t-old", "Old", "done / old", "t-done");
    await markDone(tx, "1.1", now);
    await markDone(tx, "t-old", now);
  });
});
afterEach(async () => {
  await db.close();
  rmSync(root, { recursive: true, force: true });
});

const shown = async (): Promise<readonly string[]> =>
  (await listTasks(db)).map(
    ({ id, status, parentId, title }) => `${id} <${parentId ?? ""} ${status} ${title}`,
  );

test("TASK-11 TASK-4: headings that an earlier version imported are no tasks any more; nothing is lost or doubled", async () => {
  const [compared] = await compareLists(db, { projectRoot: root }, now);
  expect(compared?.changes.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    "renamed 1.2",
    "edited 1.2",
    "ungrouped 1",
    "ungrouped 2",
    "ungrouped 2.1",
  ]);
  expect(await listTasks(db)).toHaveLength(8);
  await syncLists(db, { projectRoot: root }, now);
  expect(await shown()).toEqual([
    "1.1 < done Parse",
    "1.2 < pending Print",
    "2.1.1 < pending Sort",
    "t-done < done Done",
    "t-old <t-done done Old",
  ]);
  expect(await requireTask(db, "1.2")).toMatchObject({ description: "with care", priority: 1 });
  expect(await compareLists(db, { projectRoot: root }, now)).toMatchObject([{ changes: [], warnings: [] }]);
  const again = await importTasks(db, { projectRoot: root, path: "tasks.md" }, now);
  expect(again).toMatchObject({ created: [], updated: [], removed: [], missing: [] });
});

test("TASK-11 TASK-4: such a heading stays a task if it is more than a heading, and its items stay below it", async () => {
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "hand", title: "By hand" }, now);
    await addDependency(tx, { taskId: "hand", blockerId: "1" }, now);
    const claim = await claimTask(tx, { taskId: "2.1", owner, runId: "r" }, now);
    if (claim) await releaseClaim(tx, claim, now);
  });
  await syncLists(db, { projectRoot: root }, now);
  expect(await shown()).toEqual([
    "1 < pending Story",
    "1.1 <1 done Parse",
    "1.2 <1 pending Print",
    "2.1 < pending Part",
    "2.1.1 <2.1 pending Sort",
    "t-done < done Done",
    "t-old <t-done done Old",
    "hand < pending By hand",
  ]);
  expect(await blockersOf(db, "hand")).toEqual(["1"]);
  expect((await nextTask(db))?.id).toBe("1.2");
  expect(await compareLists(db, { projectRoot: root }, now)).toMatchObject([{ changes: [] }]);
});
