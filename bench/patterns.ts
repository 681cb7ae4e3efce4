// npm run bench:patterns [-- --misses] [--json]: how well patterns in other words are merged, on both sets of pairs of
// bench/patterns, and the time for 2,000 records in 40 categories.
import { loadavg } from "node:os";
import { clusterPatterns } from "../src/memory/skills/learn/cluster-patterns.ts";
import { readPairs, scorePairs } from "./patterns/read-pairs.ts";
import { reportedPatterns } from "./patterns/reported-patterns.ts";

// --short: does it run at all; its figures are worth nothing.
const short = process.argv.includes("--short");
const records = short ? 100 : 2000;
const categories = 40;

const scores = (["tuning", "held-out"] as const).map((set) => {
  const pairs = readPairs(set);
  return { set, same: pairs.same.length, different: pairs.different.length, ...scorePairs(pairs) };
});
const reported = reportedPatterns(records, categories);
const started = performance.now();
const clusters = reported.reduce((sum, patterns) => sum + clusterPatterns(patterns).length, 0);
const milliseconds = performance.now() - started;

if (process.argv.includes("--json"))
  console.log(JSON.stringify({ scores, records, categories, milliseconds }));
else {
  console.log("| set | same | different | precision | recall |\n|---|---|---|---|---|");
  for (const { set, same, different, precision, recall } of scores) {
    console.log(`| ${set} | ${same} | ${different} | ${precision.toFixed(3)} | ${recall.toFixed(3)} |`);
  }
  const counts = `${records * 3} patterns of ${records} records in ${categories} categories: ${clusters} clusters`;
  console.log(`\n${counts}, ${milliseconds.toFixed(0)} ms, load ${(loadavg()[0] ?? 0).toFixed(1)}`);
}
if (process.argv.includes("--misses")) {
  for (const { set, missed, wrong } of scores) {
    for (const [a, b] of missed) console.log(`${set}, not merged: ${a} | ${b}`);
    for (const [a, b] of wrong) console.log(`${set}, merged: ${a} | ${b}`);
  }
}
