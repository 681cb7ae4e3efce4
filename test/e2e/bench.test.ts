import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("IF-6: the overhead benchmark measures iterations and the start of status, and prints them as JSON", () => {
  const tsx = join(root, "node_modules/.bin/tsx");
  const printed = execFileSync(tsx, ["bench/overhead.ts", "--json", "--short"], {
    cwd: root,
    encoding: "utf8",
  });
  const measured = JSON.parse(printed);
  expect(measured.iterations).toMatchObject([{ learnings: 0 }, { learnings: 50 }]);
  expect(measured.iterations[0].byOwnClock.median).toBeGreaterThan(0);
  expect(measured.status.ratio).toBeGreaterThan(0.5);
  expect(measured.status.statusMs).toBeGreaterThan(0);
});

test("TASK-7: the benchmark of many tasks measures lists, imports and ticks, and prints them as JSON", () => {
  const tsx = join(root, "node_modules/.bin/tsx");
  const printed = execFileSync(tsx, ["bench/tasks.ts", "--json", "--short"], { cwd: root, encoding: "utf8" });
  const { tasks, rows } = JSON.parse(printed);
  expect(tasks).toBe(200);
  expect(rows.map(({ name }: { name: string }) => name)).toContain("query for the next task");
  for (const { medianMs } of rows) expect(medianMs).toBeGreaterThan(0);
});
