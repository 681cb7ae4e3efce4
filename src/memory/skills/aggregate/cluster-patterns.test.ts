import fc from "fast-check";
import { expect, test } from "vitest";
import { readPairs, scorePairs } from "../../../../bench/patterns/read-pairs.ts";
import { reportedPatterns } from "../../../../bench/patterns/reported-patterns.ts";
import { clusterPatterns } from "./cluster-patterns.ts";
import { readPattern } from "./read-pattern.ts";
import { similarity } from "./same-pattern.ts";

const tuning = readPairs("tuning");
const heldOut = readPairs("held-out");
const reported = (...texts: readonly string[]) => texts.map((text, at) => ({ id: `r-${at}`, text }));

test("paraphrases merge, and patterns that differ in a number, a negation, an identifier or their order do not", () => {
  expect(scorePairs(tuning)).toMatchObject({ missed: [], wrong: [] });
  const { precision, recall } = scorePairs(heldOut);
  expect(precision).toBeGreaterThanOrEqual(0.9);
  expect(recall).toBeGreaterThanOrEqual(0.9);
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

test("similarity is symmetric", () => {
  const texts = [...heldOut.same, ...heldOut.different.map(({ pair }) => pair)].flat();
  const patterns = texts.map(readPattern);
  const asymmetric = patterns.flatMap((a) =>
    patterns.filter((b) => similarity(a, b) !== similarity(b, a)).map((b) => [a.key, b.key]),
  );
  expect(asymmetric).toEqual([]);
});

/** Patterns of 1,000 characters that have most of their words in common, each with some of its own. */
function alikePatterns(count: number): readonly { readonly id: string; readonly text: string }[] {
  const letter = (n: number): string => String.fromCharCode(97 + (n % 26));
  const word = (n: number): string =>
    `w${letter(n)}${letter(Math.floor(n / 26))}${letter(Math.floor(n / 676))}x`;
  return Array.from({ length: count }, (_, n) => {
    const words = Array.from({ length: 170 }, (_, at) => word(at % 3 === 0 ? n * 31 + at * 7 : at * 3));
    return { id: `r-${n}`, text: words.join(" ").slice(0, 1000) };
  });
}

/** CPU milliseconds. */
function timeClustering(patterns: readonly { readonly id: string; readonly text: string }[]): number {
  const before = process.cpuUsage();
  clusterPatterns(patterns);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test("four times as many long patterns that are alike take about four times as long", () => {
  timeClustering(alikePatterns(200));
  const few = timeClustering(alikePatterns(250));
  const many = timeClustering(alikePatterns(1000));
  // Comparing each with each would take 16 times as long.
  expect(many / few).toBeLessThan(9);
});

test("the patterns of 2,000 records in 40 categories take under two seconds", () => {
  const categories = reportedPatterns(2000, 40);
  const before = process.cpuUsage();
  for (const patterns of categories) clusterPatterns(patterns);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(2000);
});
