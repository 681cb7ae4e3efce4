// npm run bench:aggregate [-- --json]: `ralph learnings aggregate` on 2,000 records in 40 categories, as whole processes:
// the first time, with nothing new, after one more record, and the start of the command in a project without records.
import { spawnSync } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { openStore } from "../src/store/open-store.ts";
import { practice, ralphBin } from "../test/e2e/practice.ts";
import { type SampleRecord, storeRecords } from "../test/sample-records.ts";
import { reportedPatterns } from "./patterns/reported-patterns.ts";

// --short: does it run at all; its figures are worth nothing.
const short = process.argv.includes("--short");
const count = short ? 100 : 2000;
const rounds = short ? 1 : 9;
const categories = 40;

function sampleRecords(): readonly SampleRecord[] {
  return reportedPatterns(count, categories).flatMap((patterns, category) => {
    const texts = new Map<string, string[]>();
    for (const { id, text } of patterns) {
      const record = id.split(".")[0] ?? "";
      texts.set(record, [...(texts.get(record) ?? []), text]);
    }
    return [...texts].map(([task, [failure = "", ...successes]]) => ({
      task,
      category: `topic ${category}`,
      successes,
      failures: [[failure, "Do it the other way"]] as const,
      files: [`src/part-${category}/${task}.ts`],
    }));
  });
}

const project = practice();
const empty = practice();

/** Returns the wall milliseconds of one command that must succeed. */
function aggregate({ dir, env }: typeof project): number {
  const started = performance.now();
  const done = spawnSync(process.execPath, [ralphBin, "learnings", "aggregate"], { cwd: dir, env });
  if (done.status !== 0) throw new Error(String(done.stderr));
  return performance.now() - started;
}

async function store(records: readonly SampleRecord[]): Promise<void> {
  const db = await openStore({ path: join(project.dir, ".ralph", "progress.db") });
  await storeRecords(db, records);
  await db.close();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await empty.addTasks([{ id: "x", title: "x" }]);
await project.addTasks([{ id: "x", title: "x" }]);
await store(sampleRecords());
const firstMs = aggregate(project);
const again: number[] = [];
const starts: number[] = [];
const changed: number[] = [];
aggregate(empty);
for (let round = 0; round < rounds; round += 1) {
  again.push(aggregate(project));
  starts.push(aggregate(empty));
}
for (let round = 0; round < rounds; round += 1) {
  const task = `more-${round}`;
  await store([{ task, category: `topic ${round}`, successes: ["Call the new function first"] }]);
  changed.push(aggregate(project));
}
project.remove();
empty.remove();
const figures = {
  records: count,
  categories,
  firstMs,
  nothingNewMs: median(again),
  startMs: median(starts),
  oneMoreMs: median(changed),
};
if (process.argv.includes("--json")) console.log(JSON.stringify(figures));
else {
  const rows = [
    ["first aggregation", figures.firstMs],
    ["nothing new", figures.nothingNewMs],
    ["one more record", figures.oneMoreMs],
    ["start, no records", figures.startMs],
  ] as const;
  console.log("| `ralph learnings aggregate` | ms |\n|---|---|");
  for (const [name, ms] of rows) console.log(`| ${name} | ${ms.toFixed(0)} |`);
  console.log(`\n${count} records in ${categories} categories, load ${(loadavg()[0] ?? 0).toFixed(1)}`);
}
