import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Practice, verify, withTasks } from "./practice.ts";

let project: Practice;
let run: ReturnType<Practice["ralph"]>;
const secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");

const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + 60_000; !(await isTrue()); await sleep(100)) {
    if (Date.now() > end) throw new Error("it does not happen");
  }
};

interface Status {
  readonly run: { readonly current: { readonly step: string | null } | null };
}

beforeAll(async () => {
  const broken = { write: { "src/{id}.txt": "BROKEN\n" } };
  project = await withTasks({}, ["Read dates", `Write dates with ${secret}`], verify);
  const wait = ["sh", "-c", "until [ -e ../go ]; do sleep 0.1; done"];
  const slow = { write: { "src/new.txt": "in work\n" }, run: [["echo", `Edit ${project.dir}/src/new.txt`]] };
  project.setScript({
    prompts: "../prompts",
    "t-1": [broken, { write: { "src/{id}.txt": "fine\n" } }],
    "*": [{ ...slow, run: [...slow.run, wait], loud: true }],
  });
  run = project.ralph("run");
  await until(async () => {
    const { run: active } = (await project.json("status")) as Status;
    return Boolean(active?.current?.step?.startsWith("Edit"));
  });
});
afterAll(() => project?.remove());

test("LOOP-23: status during a run names task, attempt, model, time and last step", async () => {
  const { stdout } = await project.answer("status");
  expect(stdout).toMatch(/^now {6}2 of 2 t-2 Write dates.* · attempt 1 · small · [\d.]+ m?s$/m);
  expect(stdout).toMatch(/^step {5}Edit src\/new\.txt$/m);
  const current = { taskId: "t-2", attempt: 1, model: "small", step: "Edit src/new.txt" };
  expect(await project.json("status")).toMatchObject({ run: { active: true, current } });
});

test("UX-3: log during a run shows the attempt that has not ended", async () => {
  const { stdout } = await project.ralph("log", "t-2");
  expect(stdout).toMatch(/attempt 1 · not ended yet · small · [\d.]+ m?s$/m);
  expect((await project.ralph("task", "show", "t-2")).stdout).toMatch(/^status .*in progress/m);
});

test("UX-3: diff shows what a running agent changed, new files included, and a task's commits", async () => {
  const before = project.git("status", "--porcelain");
  const running = await project.ralph("diff", "t-2");
  expect(running.stdout).toContain("+++ b/src/new.txt\n@@ -0,0 +1 @@\n+in work");
  expect(running.stdout).not.toContain("t-1.txt");
  expect(project.git("status", "--porcelain")).toBe(before);
  expect((await project.ralph("diff", "t-1")).stdout).toContain("+++ b/src/t-1.txt\n@@ -0,0 +1 @@\n+fine");
  expect(await project.json("diff", "t-1")).toMatchObject({ commits: [{}], uncommitted: null });
});

test("PROMPT-6: prompt show prints each prompt as it was sent, redacted and private", async () => {
  const sent = project.read("../prompts/t-1-1.txt");
  expect((await project.ralph("prompt", "show", "t-1", "1")).stdout.trimEnd()).toBe(sent.trimEnd());
  const latest = await project.ralph("prompt", "show", "t-1");
  expect(latest.stdout.trimEnd()).toBe(project.read("../prompts/t-1-2.txt").trimEnd());
  const { stdout } = await project.ralph("prompt", "show", "t-2");
  expect(stdout).toContain("Write dates with");
  expect(stdout).not.toContain(secret);
  const missing = await project.ralph("prompt", "show", "t-1", "7");
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("no prompt of t-1, attempt 7")]);
  const logs = join(project.dir, ".ralph/logs");
  const kept = readdirSync(logs, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  expect(kept.map((name) => statSync(join(logs, name)).mode & 0o077)).toEqual([0, 0, 0]);
});

test("LOOP-23: after the run, status names no running task", async () => {
  project.write("../go", "");
  expect((await run).code).toBe(0);
  expect(await project.json("status")).toMatchObject({ run: { active: false, current: null } });
});
