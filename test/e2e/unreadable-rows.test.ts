import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
import { type Practice, type RunEvent, withTasks } from "./practice.ts";

// What SQLite stores and JavaScript cannot hold, written by an agent past ralph.
let project: Practice;
afterEach(() => project?.remove());

const writeStore = resolve(import.meta.dirname, "../fakes/write-store.mjs");
const ralph = resolve(import.meta.dirname, "../../bin/ralph.js");
const brackets = (of: string): string => `replace(hex(zeroblob(100000)), '00', '${of}')`;
// The default suite tries the first four; `npm run test:variants` tries all.
const statements: Readonly<Record<string, string>> = {
  "a number of the next event": "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'outbox'",
  "a priority": "UPDATE tasks SET priority = 9007199254740993",
  "a flood of runs":
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO runs (id, started_at, agent, strategy, pid, start_time, boot_id, host) SELECT 'r-' || i, '2026', 'x', 'x', 1, '', '', '' FROM n",
  "nested JSON": `INSERT INTO outbox (timestamp, type, data, rows) VALUES ('2026', 'x', '{}', ${brackets("[")} || ${brackets("]")})`,
  "a flood of events":
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO outbox (timestamp, type, data, rows) SELECT '2026', 'x', '{}', '[]' FROM n",
  "a large number of the next event":
    "UPDATE sqlite_sequence SET seq = 9007199254740990 WHERE name = 'outbox'",
  "a count of the run": "UPDATE runs SET iterations = -9223372036854775807",
  "a number of the iteration": "UPDATE iterations SET attempt_number = 9223372036854775807",
  "a number of the history": "INSERT INTO task_logs VALUES (9223372036854775807, 't-2', 'x', '2026')",
  "a long text": "INSERT INTO note_contents VALUES ('h', zeroblob(70000000))",
};

async function withAgentThat(statement: string): Promise<readonly RunEvent[]> {
  const run = [[process.execPath, writeStore, statement]];
  const script = {
    "t-1": [{ write: { "src/{id}.txt": "x" }, run }],
    "*": [{ write: { "src/{id}.txt": "x" } }],
  };
  project = await withTasks(script, ["One", "Two"], 'sandbox: "off"\nverify: ["true"]\n');
  const { code, events, stderr } = await project.run();
  expect([code, stderr]).toEqual([0, ""]);
  return events.filter(({ type }) => type === "iteration.finished");
}

test.each(variants(Object.entries(statements), 1))(
  "TRUST-8 TRUST-12: %s that cannot be read is put back and reported, and the run goes on",
  async (_what, statement) => {
    const finished = await withAgentThat(statement);
    expect(finished.map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual(["t-1 done", "t-2 done"]);
    expect(String(finished[0]?.["warnings"])).toMatch(/rebuilt \.ralph\/progress\.db|ignored 1 event/);
    expect((await project.start("status")).code).toBe(0);
    for (const args of [["task", "list", "--all"], ["log"], ["doctor"]])
      expect((await project.answer(...args)).code, args.join(" ")).toBe(0);
  },
);

test("TRUST-8: ralph doctor finds a value that cannot be read, and --repair rebuilds the store", async () => {
  project = await withTasks({}, ["One", "Two"], 'sandbox: "off"\nverify: ["true"]\n');
  execFileSync(process.execPath, [writeStore, statements["a priority"] ?? ""], { cwd: project.dir });
  const list = await project.start("task", "list");
  expect([list.code, list.stderr]).toEqual([5, expect.stringContaining("ralph doctor --repair")]);
  expect((await project.start("doctor")).code).not.toBe(0);
  expect((await project.start("doctor", "--repair")).code).toBe(0);
  expect(((await project.json("task", "list")) as unknown[]).length).toBe(2);
});

test("TRUST-12: a pipe or an older write in place of the store's journal is moved aside, and stops nothing", async () => {
  const script = {
    "t-1": [{ write: { "src/{id}.txt": "x" }, run: [["mkfifo", ".ralph/progress.db-journal"]] }],
    "*": [{ write: { "src/{id}.txt": "x", ".ralph/progress.db-journal": "x" } }],
  };
  project = await withTasks(script, ["One", "Two"], 'sandbox: "off"\nverify: ["true"]\n');
  const { code, events } = await project.run();
  expect(code).toBe(0);
  const finished = events.filter(({ type }) => type === "iteration.finished");
  for (const { warnings } of finished)
    expect(String(warnings)).toMatch(/moved \.ralph\/progress\.db-journal aside/);
  expect((await project.start("status")).code).toBe(0);
});

test("TRUST-8 TRUST-12: an agent's own commands leave a flood of events to the run, which removes it", async (context) => {
  onlyInLongForm(context);
  const flood = statements["a flood of events"] ?? "";
  const run = [
    [process.execPath, writeStore, flood],
    [process.execPath, ralph, "note", "add", "kept in no log"],
    [process.execPath, ralph, "status"],
  ];
  const script = { "*": [{ write: { "src/{id}.txt": "x" }, run }] };
  project = await withTasks(script, ["One"], 'sandbox: "off"\nverify: ["true"]\n');
  const { code, events } = await project.run();
  expect(code).toBe(0);
  const finished = events.find(({ type }) => type === "iteration.finished");
  expect(String(finished?.["warnings"])).toContain("rebuilt .ralph/progress.db");
  expect((await readFile(join(project.dir, ".ralph/events.jsonl"), "utf8")).split("\n").length).toBeLessThan(
    1000,
  );
});
