import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
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

test("AGENT-6: ralph mcp is bundled without a second validator of arguments, which takes a quarter of its start", () => {
  const files = readdirSync(join(root, "dist")).filter((name) => name.endsWith("js"));
  const withAjv = files.filter((name) =>
    readFileSync(join(root, "dist", name), "utf8").includes("ajv implementation error"),
  );
  expect(withAjv).toEqual([]);
});
