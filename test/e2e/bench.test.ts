import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { benchmarkHere } from "./run-benchmark.ts";

const root = resolve(import.meta.dirname, "../..");

test("IF-6: the overhead benchmark measures iterations and the start of status, and prints them as JSON", async () => {
  const printed = await benchmarkHere("bench/overhead.ts", "--json", "--short");
  const measured = JSON.parse(printed);
  expect(measured.iterations).toMatchObject([{ learnings: 0 }, { learnings: 50 }]);
  for (const { byOwnClock, againstBare, gap } of measured.iterations) {
    for (const { median, p90, max } of [byOwnClock, againstBare.ralph, gap.ralph, gap.shell]) {
      expect(median).toBeGreaterThan(0);
      expect(p90).toBeGreaterThanOrEqual(median);
      expect(max).toBeGreaterThanOrEqual(p90);
    }
  }
  expect(measured.status.ratio).toBeGreaterThan(0.5);
  expect(measured.status.statusMs).toBeGreaterThan(0);
  expect(measured.work).toEqual({ statements: expect.any(Number), events: expect.any(Number) });
  expect(measured.work.statements).toBeGreaterThan(50);
  expect(measured.work.statements).toBeLessThanOrEqual(85);
  expect(measured.work.events).toBeGreaterThan(0);
  expect(measured.work.events).toBeLessThanOrEqual(8);
});

test("IF-6: the benchmark beside another build measures its gap and start in turn with this version's, and prints them as JSON", async (context) => {
  onlyInLongForm(context);
  const printed = await benchmarkHere("bench/beside.ts", root, "--json", "--short");
  const { rows } = JSON.parse(printed);
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(["gap, this version", "`ralph status`"]);
  for (const { before, now, byRound } of rows) {
    expect(now).toBeGreaterThan(0);
    expect(byRound).toBeCloseTo(now / before, 6);
  }
});

test("AGENT-6: the benchmark of ralph mcp measures its start and a search, and prints them as JSON", async (context) => {
  onlyInLongForm(context);
  const printed = await benchmarkHere("bench/mcp.ts", "--json", "--short");
  const { start, empty, limitMs, search } = JSON.parse(printed);
  expect(start.median).toBeGreaterThan(empty.median);
  expect(limitMs).toBeCloseTo(1.6 * empty.median + 150, 6);
  expect(search).toMatchObject({ wall: { median: expect.any(Number) }, found: 3 });
});

test("AGENT-6: ralph mcp is bundled without a second validator of arguments, which takes a quarter of its start", () => {
  const files = readdirSync(join(root, "dist")).filter((name) => name.endsWith("js"));
  const withAjv = files.filter((name) =>
    readFileSync(join(root, "dist", name), "utf8").includes("ajv implementation error"),
  );
  expect(withAjv).toEqual([]);
});

test("TASK-7: the benchmark of many tasks measures lists, imports and ticks, and prints them as JSON", async (context) => {
  onlyInLongForm(context);
  const printed = await benchmarkHere("bench/tasks.ts", "--json", "--short");
  const { tasks, rows } = JSON.parse(printed);
  expect(tasks).toBe(200);
  expect(rows.map(({ name }: { name: string }) => name)).toContain("query for the next task");
  for (const { medianMs } of rows) expect(medianMs).toBeGreaterThan(0);
});

test("LEARN-4: the benchmark of learning runs a folder with memory, by tag overlap and without, and prints what each took", async (context) => {
  onlyInLongForm(context);
  const folder = mkdtempSync(join(tmpdir(), "ralph-lessons-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["families", "noise", "misleading"]) {
    const [first] = readFileSync(join(root, `bench/learning/sample/${name}.jsonl`), "utf8").split("\n");
    const line = JSON.parse(first ?? "");
    writeFileSync(join(folder, `${name}.jsonl`), JSON.stringify({ ...line, tasks: line.tasks?.slice(0, 2) }));
  }
  const modes = JSON.parse(await benchmarkHere("bench/learning.ts", folder, "--json", "--short"));
  expect(modes.map(({ mode }: { mode: string }) => mode)).toEqual(["memory", "overlap", "none"]);
  expect(modes[0]).toMatchObject({ later: { attempts: 1, atOnce: 1, never: 0 }, firstTasks: 2 });
  expect(modes[2]).toMatchObject({ later: { attempts: 3, never: 1 }, firstTasks: 2 });
});
