import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("the benchmark of equal patterns scores both sets of pairs and times the clustering, and prints them as JSON", () => {
  const tsx = join(root, "node_modules/.bin/tsx");
  const options = { cwd: root, encoding: "utf8" } as const;
  const printed = execFileSync(tsx, ["bench/patterns.ts", "--json", "--short"], options);
  const { scores, milliseconds } = JSON.parse(printed);
  expect(scores.map(({ set }: { set: string }) => set)).toEqual(["tuning", "held-out"]);
  for (const { precision, recall } of scores) expect(Math.min(precision, recall)).toBeGreaterThanOrEqual(0.9);
  expect(milliseconds).toBeGreaterThan(0);
});

test("SKILL-1: the benchmark of the aggregation times whole commands, and prints them as JSON", () => {
  const tsx = join(root, "node_modules/.bin/tsx");
  const options = { cwd: root, encoding: "utf8" } as const;
  const figures = JSON.parse(execFileSync(tsx, ["bench/aggregate.ts", "--json", "--short"], options));
  expect(figures).toMatchObject({ records: 100, categories: 40 });
  for (const name of ["firstMs", "nothingNewMs", "oneMoreMs", "startMs"])
    expect(figures[name]).toBeGreaterThan(0);
});
