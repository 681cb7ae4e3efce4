import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { command as importCommand } from "../../src/cli/commands/task/import.ts";
import { command as list } from "../../src/cli/commands/task/list.ts";
import { command as next } from "../../src/cli/commands/task/next.ts";
import { command as tree } from "../../src/cli/commands/task/tree.ts";
import { newFolder } from "../command-folder.ts";
import { fastestRun } from "../fastest-run.ts";
import { runCommand } from "../run-command.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;

/** An open epic with 150 open parts, and a closed one with 3. */
const issues = [
  { id: "open", title: "Open epic" },
  { id: "closed", title: "Closed epic", status: "closed", priority: 0 },
  ...[1, 2, 3].map((n) => ({
    id: `closed.${n}`,
    title: `Part ${n}`,
    status: "closed",
    parent: "closed",
    priority: 0,
  })),
  ...Array.from({ length: 150 }, (_, n) => ({ id: `open.${n}`, title: `Part ${n}`, parent: "open" })),
];

beforeAll(async () => {
  project = practice({ "issues.jsonl": issues.map((issue) => `${JSON.stringify(issue)}\n`).join("") });
  const { code, stderr } = await project.ralph("task", "import", "issues.jsonl");
  if (code !== 0) throw new Error(stderr);
});
afterAll(() => project.remove());

const stdout = async (...args: string[]): Promise<readonly string[]> =>
  (await project.ralph("task", ...args)).stdout.trimEnd().split("\n");

test("TASK-7: a list shows what is open first, and says how much it leaves out", async () => {
  const some = await stdout("list", "--limit", "5");
  expect(some).toHaveLength(8);
  expect(some[1]).toContain("○ pending");
  expect(some.slice(-2)).toEqual([
    "… and 150 more (use --all, --limit or --status)",
    "155 tasks: 151 pending, 4 done",
  ]);
  // Nobody waits for the first line of a pipe: it gets them all.
  expect(await stdout("list")).toHaveLength(157);
  expect(await project.json("task", "list", "--limit", "5")).toHaveLength(155);
  const { code, stderr } = await project.ralph("task", "list", "--limit", "few");
  expect([code, stderr]).toEqual([2, expect.stringContaining("use a number such as --limit 10")]);
});

test("TASK-7: a short tree leaves out what lies below a finished task, the whole one does not", async () => {
  expect(await stdout("tree", "--limit", "3")).toEqual([
    "✓ done closed Closed epic (3/3)",
    "○ pending open Open epic (0/150)",
    "├─ ○ pending open.0 Part 0",
    "… 155 tasks, 152 of them hidden (use --all or --limit)",
  ]);
  expect(await stdout("tree", "closed", "--limit", "2")).toHaveLength(3);
  expect(await stdout("tree")).toHaveLength(155);
  expect(await project.json("task", "tree", "--limit", "3")).toHaveLength(155);
});

const hasTerminal = spawnSync("script", ["--version"]).status === 0;
if (!hasTerminal) process.stderr.write("skipped: no `script` here to make a terminal with\n");

test("TASK-7: list and tree of 10,000 tasks are ready in 300 ms, the next task in 50 ms", async () => {
  const folder = newFolder();
  const many = Array.from({ length: 10_000 }, (_, n) => ({
    id: `m-${n}`,
    title: `Issue ${n}: what is to be done in src/part-${n % 97}.ts, and why it matters`,
    priority: n % 5,
    status: n % 7 === 0 && n > 8000 ? "closed" : "open",
    ...(n % 9 === 0 ? {} : { parent: `m-${Math.floor(n / 2.5)}` }),
    dependencies: n % 9 === 0 && n > 20 ? [{ depends_on_id: `m-${n - 9}`, type: "blocks" }] : [],
  }));
  writeFileSync(join(folder.cwd, "many.jsonl"), many.map((issue) => `${JSON.stringify(issue)}\n`).join(""));
  await folder.run(importCommand, "many.jsonl");
  for (const [spec, words, bound] of [
    [list, [], 300],
    [tree, [], 300],
    [list, ["--json"], 300],
    [next, [], 50],
  ] as const) {
    const { out } = await runCommand(spec, words, folder);
    expect(out).toContain("m-");
    const best = await fastestRun(() => runCommand(spec, words, folder), { bound });
    expect(best, words.join(" ")).toBeLessThan(bound);
  }
});
