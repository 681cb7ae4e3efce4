import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Row } from "../../src/store/db.ts";
import { openStore } from "../../src/store/open-store.ts";
import { copyOf, finished, type Practice, practice } from "./practice.ts";

const fixture = resolve("test/fixtures/previous-version");
const opened: Practice[] = [];
let original: Practice;

beforeAll(() => {
  original = practice();
  opened.push(original);
  const { dir, git } = original;
  rmSync(join(dir, ".git"), { recursive: true });
  git("init", "-q", "-b", "unborn");
  git("config", "user.name", "Practice");
  git("config", "user.email", "practice@example.invalid");
  git("fetch", "-q", join(fixture, "repository.bundle"), "refs/*:refs/*");
  git("checkout", "-q", "-f", "main");
  // No version does anything with this setting.
  const config = join(dir, ".ralph/config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace(/^taskValueUsd:.*\n/m, ""));
  git("commit", "-qam", "Remove a setting");
  mkdirSync(join(dir, ".ralph"), { recursive: true });
  const database = gunzipSync(readFileSync(join(fixture, "progress.db.gz")));
  writeFileSync(join(dir, ".ralph/progress.db"), database, { mode: 0o600 });
  cpSync(join(fixture, "events.jsonl"), join(dir, ".ralph/events.jsonl"));
  writeFileSync(join(dir, ".ralph/.gitignore"), "*\n!config.yaml\n!prompt.md\n");
  writeFileSync(join(dir, "t-format.txt"), "attempt 1\n");
});

afterAll(() => {
  for (const made of opened) made.remove();
});

async function project(): Promise<Practice> {
  const made = copyOf(original);
  opened.push(made);
  const { code, stderr } = await made.ralph("trust", "approve", "--yes");
  if (code !== 0) throw new Error(stderr);
  return made;
}

/** The rows that an event log must be able to rebuild. */
async function rowsOf({ dir }: Practice): Promise<Record<string, readonly Row[]>> {
  const db = await openStore({ path: join(dir, ".ralph/progress.db") });
  const tables = [
    ["tasks", "id"],
    ["dependencies", "blocker_id, blocked_id"],
    ["task_logs", "id"],
    ["iteration_outcomes", "task_id, attempt_number"],
    ["failure_reports", "task_id, attempt_number"],
    ["strategy_metrics", "task_id"],
    ["messages", "id"],
    ["learnings", "id"],
    ["learning_history", "learning_id, number"],
    ["memory_injections", "iteration_id, memory_id"],
    ["memory_trials", "iteration_id"],
  ] as const;
  const rows: Record<string, readonly Row[]> = {};
  for (const [table, key] of tables) rows[table] = await db.all(`SELECT * FROM ${table} ORDER BY ${key}`);
  await db.close();
  return rows;
}

async function rebuild(made: Practice): Promise<void> {
  for (const side of ["", "-wal", "-shm"])
    rmSync(join(made.dir, `.ralph/progress.db${side}`), { force: true });
  const { code, stderr } = await made.ralph("doctor", "--repair");
  expect(stderr).not.toContain("RALPH_");
  expect(code).toBe(0);
}

test("TASK-6: a project of the previous version opens with its tasks, attempts, memory and configuration", async () => {
  const made = await project();
  const status = await made.ralph("status", "--json");
  expect(status.stderr).toBe("");
  expect(JSON.parse(status.stdout)).toMatchObject({ tasks: { done: 1, pending: 3 } });
  expect(await made.json("memory", "list")).toMatchObject([
    { id: "l-cea569", status: "active", timesShown: 2 },
  ]);
  expect((await made.json("doctor")) as unknown[]).not.toContainEqual(
    expect.objectContaining({ status: "fail" }),
  );
});

test("TASK-6 LOOP-11: a run continues the project: salvage, attempt count, learning and message reach the next iteration", async () => {
  const made = await project();
  const { code, events } = await made.run("t-late", "--once");
  expect(code).toBe(0);
  expect(events.find(({ type }) => type === "salvage.restored")).toMatchObject({
    taskId: "t-late",
    ref: "refs/ralph/salvage/t-late-1",
  });
  expect(events.find(({ type }) => type === "iteration.started")).toMatchObject({
    attempt: 2,
    memory: { attempts: 1, learnings: 1, messages: 1 },
  });
  expect(finished(events)).toMatchObject([{ taskId: "t-late", outcome: "done", verification: "passed" }]);
  expect(made.commits()[0]).toBe("Write the parser for late dates (t-late)");
  expect(made.git("show", "HEAD:t-late.txt")).toBe("attempt 2");
  const before = await rowsOf(made);
  await rebuild(made);
  expect(await rowsOf(made)).toEqual(before);
  expect(await made.json("status")).toMatchObject({ tasks: { done: 2, pending: 2 } });
});

test("CTX-3: the previous version's event log alone rebuilds its project", async () => {
  const made = await project();
  const before = await rowsOf(made);
  await rebuild(made);
  expect(await rowsOf(made)).toEqual(before);
});
