import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedSource } from "../../src/memory/hivemind/shared-memory-store.ts";
import { isIndexComplete } from "../../src/search/check-index.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Db } from "../../src/store/port/db.ts";
import { type Practice, practice, ralphStart } from "../e2e/practice.ts";
import { onlyInLongForm, testSize } from "../test-size.ts";
import { marked } from "./kill-when.ts";

/** `npm run test:crash` for more. */
const kills = testSize("RALPH_TEST_KILLS", 1);
let data = "";
let project: Practice;

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
  project = practice(undefined, { XDG_DATA_HOME: data });
});
afterEach(() => {
  project.remove();
  rmSync(data, { recursive: true, force: true });
});

const file = (): string => join(data, "ralph/hivemind.db");

function start(): { readonly child: ChildProcess; readonly ended: Promise<void> } {
  const { dir, env } = project;
  const child = spawn(process.execPath, [...ralphStart, "run", "--once"], { cwd: dir, env, stdio: "ignore" });
  return { child, ended: new Promise<void>((done) => child.once("exit", () => done())) };
}

/** The size and time of the hivemind's files: they change when a delivery writes. */
function signature(): string {
  return ["", "-wal"]
    .map((end) => statSync(file() + end, { throwIfNoEntry: false }))
    .map((stats) => (stats ? `${stats.size} ${stats.mtimeMs}` : ""))
    .join();
}

async function withDb<T>(
  path: string,
  schema: "project" | "hivemind",
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const db = await openStore({ path, schema });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Checks that the hivemind has one record of each task, and the project nothing left for it. */
async function expectOneRecordEach(tasks: number): Promise<void> {
  const states = await withDb(join(project.dir, ".ralph/progress.db"), "project", (db) =>
    db.all("SELECT state, COUNT(*) AS n FROM hivemind_entries GROUP BY state"),
  );
  expect(states).toEqual([{ state: "sent", n: tasks }]);
  await withDb(file(), "hivemind", async (db) => {
    const rows = await db.all<{ title: string; n: number }>(
      "SELECT title, COUNT(*) AS n FROM hivemind_memories GROUP BY title",
    );
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: tasks }, () => 1));
    expect(await db.file?.findDamage()).toBeUndefined();
    expect(await isIndexComplete(db, [sharedSource])).toBe(true);
  });
}

test(
  "HIVE-4 LOOP-11: killed while it stores records in the hivemind, ralph loses none and stores none twice",
  async () => {
    const tasks = kills + 3;
    const agent = { write: { "{id}.txt": "{id}\n" }, sleepMs: 150 };
    await project.useWorker({ "*": [agent] }, 'verify: ["true"]\n');
    await project.addTasks(Array.from({ length: tasks }, (_, n) => `Part ${n + 1} of the work`));
    let killed = 0;
    for (let n = 0; n < kills; n += 1) {
      const before = signature();
      const { child, ended } = start();
      while (child.exitCode === null && signature() === before) await sleep(1);
      // A transaction takes some milliseconds: at its beginning, within it, behind it.
      await sleep((n % 5) * 3);
      if (child.kill("SIGKILL")) killed += 1;
      await ended;
      await marked(project);
    }
    expect(killed).toBe(kills);
    expect((await project.run()).code).toBe(0);
    await expectOneRecordEach(tasks);
  },
  60_000 + kills * 5000,
);

test("HIVE-4 LOOP-11: killed while it waits for the hivemind's lock, ralph stores the records at the next run", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  const agent = { write: { "{id}.txt": "{id}\n" } };
  const long = { ...agent, write: { "{id}.txt": "{id}\n", "../began": "" }, run: [["sleep", "60"]] };
  await project.useWorker({ "t-2": [long, agent], "*": [agent], calls: "../calls" }, 'verify: ["true"]\n');
  await project.addTasks(["The first part", "The second part"]);
  await withDb(file(), "hivemind", async (db) => {
    await db.transaction(async () => {
      const { child, ended } = start();
      while (child.exitCode === null && !existsSync(join(project.dir, "../began"))) await sleep(20);
      // The delivery of the first record waits beside the second task's agent.
      await sleep(300);
      child.kill("SIGKILL");
      await ended;
      await marked(project);
    });
  });
  expect((await project.run()).code).toBe(0);
  await expectOneRecordEach(2);
});
