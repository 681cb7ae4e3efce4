import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import type { Db, Tx } from "../store/port/db.ts";
import { allDependencies } from "./graph/task-graph.ts";
import { type ImportReport, importTasks } from "./import-tasks.ts";

const root = mkdtempSync(join(tmpdir(), "ralph-large-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Imports a file; counts the statements of its transaction. */
async function importCounted(
  db: Db,
  name: string,
  text: string,
): Promise<ImportReport & { statements: number }> {
  let statements = 0;
  const count = <A extends readonly unknown[], R>(statement: (...args: A) => R) => {
    return (...args: A): R => {
      statements += 1;
      return statement(...args);
    };
  };
  const counted = (tx: Tx): Tx => {
    const { all, get, run } = tx;
    return { ...tx, all: count(all) as Tx["all"], get: count(get) as Tx["get"], run: count(run) };
  };
  const counting: Db = {
    ...db,
    transaction: (work, options) => db.transaction((tx) => work(counted(tx)), options),
  };
  writeFileSync(join(root, name), text);
  const report = await importTasks(
    counting,
    { projectRoot: root, path: name },
    new Date("2026-03-01T10:00:00Z"),
  );
  return { ...report, statements };
}

const size = 2000;

test("TASK-4: a large list is imported with about one statement an item, and again with none", async () => {
  const db = await openTempStore();
  const item = (_: unknown, n: number): string =>
    `${n % 10 === 0 ? "" : "  "}- [${n % 3 === 0 ? "x" : " "}] item ${n}\n`;
  const text = Array.from({ length: size }, item).join("");
  const first = await importCounted(db, "tasks.md", text);
  expect(first.created).toHaveLength(size);
  expect(first.statements).toBeLessThan(1.1 * size);
  const again = await importCounted(db, "tasks.md", text);
  expect(again.unchanged).toHaveLength(size);
  expect(again.statements).toBeLessThan(10);
});

test("TASK-2: a long chain of dependencies takes time linear in its length, whichever way it is written", async () => {
  const chain = (next: (n: number) => number): string => {
    const story = (_: unknown, n: number): object => ({
      id: `S-${n}`,
      title: `${n}`,
      dependsOn: next(n) < 0 || next(n) >= size ? [] : [`S-${next(n)}`],
    });
    return JSON.stringify({ userStories: Array.from({ length: size }, story) });
  };
  for (const step of [1, -1]) {
    const db = await openTempStore();
    const { statements } = await importCounted(
      db,
      `prd${step}.json`,
      chain((n) => n + step),
    );
    expect(await allDependencies(db)).toHaveLength(size - 1);
    expect(statements).toBeLessThan(3.2 * size);
  }
});

test("TASK-2: a cycle through a parent and through what the project has is refused at its line", async () => {
  const db = await openTempStore();
  const story = (id: string, ...dependsOn: string[]): object => ({ id, title: id, dependsOn });
  const prd = (...userStories: object[]): string => JSON.stringify({ userStories }, null, 1);
  await importCounted(db, "a.json", prd(story("A-1"), story("A-2", "A-1")));
  await importCounted(db, "b.json", prd(story("B-1", "A-2")));
  await expect(
    importCounted(db, "a.json", prd(story("A-1", "B-1"), story("A-2", "A-1"))),
  ).rejects.toMatchObject({
    code: "RALPH_TASK_CYCLE",
    message: "a.json:3: Task A-1 cannot wait for B-1: A-1 → B-1 → A-2 → A-1 is a cycle.",
  });
});
