import { expect, test } from "vitest";
import { benchmarkHere } from "./run-benchmark.ts";

test("the benchmark of equal patterns scores both sets of pairs and times the clustering, and prints them as JSON", async () => {
  const printed = await benchmarkHere("bench/patterns.ts", "--json", "--short");
  const { scores, milliseconds } = JSON.parse(printed);
  expect(scores.map(({ set }: { set: string }) => set)).toEqual(["tuning", "held-out"]);
  for (const { precision, recall } of scores) expect([precision, recall > 0.45]).toEqual([1, true]);
  expect(milliseconds).toBeGreaterThan(0);
});
