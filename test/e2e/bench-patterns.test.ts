import { expect, test } from "vitest";
import { onlyInLongForm } from "../test-size.ts";
import { runBenchmark } from "./run-benchmark.ts";

test("the benchmark of equal patterns scores both sets of pairs and times the clustering, and prints them as JSON", () => {
  const printed = runBenchmark("bench/patterns.ts", "--json", "--short");
  const { scores, milliseconds } = JSON.parse(printed);
  expect(scores.map(({ set }: { set: string }) => set)).toEqual(["tuning", "held-out"]);
  for (const { precision, recall } of scores) expect([precision, recall > 0.45]).toEqual([1, true]);
  expect(milliseconds).toBeGreaterThan(0);
});

test("SKILL-1: the benchmark of the aggregation times whole commands, and prints them as JSON", (context) => {
  onlyInLongForm(context);
  const figures = JSON.parse(runBenchmark("bench/aggregate.ts", "--json", "--short"));
  expect(figures).toMatchObject({ records: 100, categories: 40 });
  for (const name of ["firstMs", "nothingNewMs", "oneMoreMs", "startMs"])
    expect(figures[name]).toBeGreaterThan(0);
});
