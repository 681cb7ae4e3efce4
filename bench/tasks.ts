// npm run bench:tasks [-- --json]: what 10,000 tasks cost. A tree of mixed depth with dependencies is imported from a
// beads file, and 33,000 items from a checklist; `ralph task list`, `tree` and `next` are timed as whole processes beside an empty Node script and one that
// reads the same rows by plain SQL; the query for the next task, and the tick of one task in a file of 10,000, in process.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { openStore } from "../src/store/open-store.ts";
import { nextTask } from "../src/tasks/graph/next-task.ts";
import { beads } from "../src/tasks/import/formats/beads.ts";
import { prd } from "../src/tasks/import/formats/prd.ts";
import { type Practice, practice, ralphBin } from "../test/e2e/practice.ts";

// --short: does it run at all; its figures are worth nothing.
const short = process.argv.includes("--short");
const count = short ? 200 : 10_000;
const rounds = short ? 1 : 15;

interface Row {
  readonly name: string;
  readonly medianMs: number;
  /** Times an empty Node script, for whole processes. */
  readonly ratio: number | null;
}

/** Every ninth issue is at the top, the others lie below an earlier one, up to about ten deep; every third waits for one. */
function issueLines(): string {
  const line = (n: number): string => {
    const parent = n % 9 === 0 ? [] : [{ depends_on_id: `b-${Math.floor(n / 2.5)}`, type: "parent-child" }];
    const blocker = n % 3 === 0 && n > 20 ? [{ depends_on_id: `b-${n - 13}`, type: "blocks" }] : [];
    const status = n > count * 0.8 && n % 2 === 0 ? "closed" : "open";
    const text = `Issue ${n}: what is to be done in \`src/part-${n % 97}.ts\`, and why it matters`;
    const dependencies = [...parent, ...(parent.length > 0 ? [] : blocker)];
    return JSON.stringify({
      id: `b-${n}`,
      title: text,
      description: text.repeat(5),
      status,
      priority: n % 5,
      dependencies,
    });
  };
  return `${Array.from({ length: count }, (_, n) => line(n)).join("\n")}\n`;
}

function stories(): string {
  const story = (_: unknown, n: number) => ({
    id: `S-${n}`,
    title: `Story ${n}`,
    priority: n,
    passes: false,
    notes: "x".repeat(200),
  });
  return JSON.stringify({ userStories: Array.from({ length: count }, story) }, null, 2);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Wall milliseconds of one process that must succeed. */
function timeProcess(project: Practice, ...args: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: project.dir,
    env: project.env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - started;
}

/** Wall milliseconds of `ralph task import` in a project of its own. */
function timeChecklist(items: number): number {
  const project = practice();
  try {
    const item = (_: unknown, n: number) => `- [ ] task ${n}: change \`src/part-${n % 97}.ts\`\n`;
    project.write("tasks.md", Array.from({ length: items }, item).join(""));
    return timeProcess(project, ralphBin, "task", "import", "tasks.md");
  } finally {
    project.remove();
  }
}

async function timeInProcess(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}

async function measure(project: Practice): Promise<readonly Row[]> {
  const file = "issues.jsonl";
  project.write(file, issueLines());
  const first = timeProcess(project, ralphBin, "task", "import", file);
  const again = timeProcess(project, ralphBin, "task", "import", file);
  const items = short ? 200 : 33_000;
  const checklist = timeChecklist(items);
  const empty = join(project.home, "empty.cjs");
  writeFileSync(empty, "");
  const sql = join(import.meta.dirname, "read-rows.mjs");
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ["an empty Node script", [empty]],
    ["the same rows by plain SQL", [sql]],
    ["`ralph task list`", [ralphBin, "task", "list"]],
    ["`ralph task list --json`", [ralphBin, "task", "list", "--json"]],
    ["`ralph task tree`", [ralphBin, "task", "tree"]],
    ["`ralph task next`", [ralphBin, "task", "next"]],
  ];
  // In turn, so that what else the machine does falls on all of them.
  const times = Array.from({ length: rounds }, () => kinds.map(([, args]) => timeProcess(project, ...args)));
  const medians = kinds.map((_, at) => median(times.map((round) => round[at] ?? Number.NaN)));
  const processes = kinds.map(([name], at): Row => {
    const medianMs = medians[at] ?? Number.NaN;
    return { name, medianMs, ratio: medianMs / (medians[0] ?? Number.NaN) };
  });
  const db = await openStore({ path: join(project.dir, ".ralph/progress.db"), create: false });
  const next = await timeInProcess(() => nextTask(db)).finally(() => db.close());
  const story = { path: "prd.json", text: stories() };
  const issues = { path: file, text: issueLines() };
  const inProcess = (name: string, medianMs: number): Row => ({ name, medianMs, ratio: null });
  return [
    ...processes,
    inProcess("query for the next task", next),
    inProcess("first import", first),
    inProcess(`first import of a checklist of ${items} items`, checklist),
    inProcess("import of the same file again", again),
    inProcess(
      "tick in a prd.json, its last story",
      await timeInProcess(() => prd.mark(story, new Map([[`S-${count - 1}`, true]]))),
    ),
    inProcess(
      "tick in a beads file, its last issue",
      await timeInProcess(() => beads.mark(issues, new Map([[`b-${count - 2}`, true]]))),
    ),
  ];
}

const project = practice();
try {
  const rows = await measure(project);
  if (process.argv.includes("--json"))
    console.log(JSON.stringify({ tasks: count, rows, load: loadavg()[0] }));
  else {
    console.log(`| ${count} tasks | median | times an empty Node script |\n|---|---|---|`);
    for (const { name, medianMs, ratio } of rows) {
      console.log(
        `| ${name} | ${medianMs.toFixed(medianMs < 10 ? 1 : 0)} ms | ${ratio?.toFixed(1) ?? "–"} |`,
      );
    }
    console.log(`\nload ${(loadavg()[0] ?? 0).toFixed(1)}, Node ${process.versions.node}`);
  }
} finally {
  project.remove();
}
