import fc from "fast-check";
import { expect, test } from "vitest";
import { readPairs, scorePairs } from "../../../../bench/patterns/read-pairs.ts";
import { reportedPatterns } from "../../../../bench/patterns/reported-patterns.ts";
import { clusterPatterns } from "./cluster-patterns.ts";

const reported = (...texts: readonly string[]) => texts.map((text, at) => ({ id: `r-${at}`, text }));

test("SKILL-1: patterns with the same stems merge, and those that differ in a number, a negation, an identifier or their order do not", () => {
  for (const set of ["tuning", "held-out"] as const) {
    const { wrong, recall } = scorePairs(readPairs(set));
    expect(wrong).toEqual([]);
    expect(recall).toBeGreaterThan(0.45);
  }
});

test("a cluster has its most frequent wording, the shortest of these, and counts every report", () => {
  const often = "Use .glassEffect() instead of custom materials";
  const patterns = reported(
    "Always use `.glassEffect()` rather than custom materials",
    often,
    "Retry 3 times",
    often,
    "Retry 5 times",
  );
  expect(clusterPatterns(patterns)).toEqual([
    { text: often, members: ["r-0", "r-1", "r-3"], count: 3 },
    { text: "Retry 3 times", members: ["r-2"], count: 1 },
    { text: "Retry 5 times", members: ["r-4"], count: 1 },
  ]);
  expect(clusterPatterns([])).toEqual([]);
});

test("texts without words, and texts too long for a sentence, merge only with equal ones", () => {
  const long = "the cache must be cleared ".repeat(100);
  const clusters = clusterPatterns(reported("", "  ", "of the", "with", long, `${long} and`, long));
  const counts = clusters.map(({ text, count }) => [text.slice(0, 10), count]);
  expect(counts).toEqual([
    ["", 2],
    [long.slice(0, 10), 2],
    ["of the", 1],
    [long.slice(0, 10), 1],
    ["with", 1],
  ]);
});

test("the order of the input changes nothing", () => {
  const patterns = reportedPatterns(400, 4).flat();
  const wanted = clusterPatterns(patterns);
  expect(wanted.some(({ count }) => count > 2)).toBe(true);
  const places = fc.shuffledSubarray([...patterns.keys()], { minLength: patterns.length });
  fc.assert(
    fc.property(places, (order) => {
      const shuffled = order.flatMap((at) => patterns[at] ?? []);
      expect(clusterPatterns(shuffled)).toEqual(wanted);
    }),
    { numRuns: 10 },
  );
});

test("the patterns of 2,000 records in 40 categories take under two seconds", () => {
  const categories = reportedPatterns(2000, 40);
  const before = process.cpuUsage();
  for (const patterns of categories) clusterPatterns(patterns);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2000);
});
