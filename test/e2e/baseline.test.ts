import { existsSync, rmSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { WorkerScript } from "../fakes/worker-script.ts";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Fails while a file in `src` holds BROKEN or the folder above has an `outage`; counts its executions. */
const check = `echo run >> ../verified
cat src/* | grep BROKEN && { echo "src/base.txt(1,1): error TS1: broken before"; exit 1; }
test ! -e ../outage || { echo "error: the database is down"; exit 1; }
`;
const config = 'verifyBaseline: auto\nverify: ["sh check.sh"]\n';
const fine = { write: { "src/{id}.txt": "fine\n" } };
const titles = ["first", "second", "third"];

async function start(script: WorkerScript, base: string, settings: string = config): Promise<void> {
  project = practice({ "check.sh": check, "src/base.txt": base });
  await project.useWorker({ prompts: "../prompts", starts: "../starts", ...script }, settings);
  await project.addTasks(titles);
}

const verifications = (): number => project.read("../verified").trim().split("\n").length;
const attempts = (events: readonly RunEvent[]) =>
  finished(events).map(({ taskId, attempt, outcome }) => `${taskId} ${attempt} ${outcome}`);
const baselines = (events: readonly RunEvent[]) =>
  events.filter(({ type }) => type === "baseline.finished").map(({ passed }) => passed);

test("LOOP-20: a baseline that takes too long ends with the way to give it more time", async () => {
  await start({ "*": [fine] }, "ok\n", 'verifyBaseline: auto\nverify: [{ run: "sleep 9", timeout: 1s }]\n');
  const { code, events } = await project.run("--yes");
  expect(code).toBe(4);
  expect(events.at(-1)).toMatchObject({
    summary: expect.stringContaining("timed out after 1.0 s"),
    hint: expect.stringMatching(/^give it more time \(\{ run: …, timeout: 30m \} in verify of/),
  });
});

test("LOOP-20 LOOP-14: a failing baseline costs no attempt; a task with allowRed repairs it, and the others follow", async () => {
  const repair = { write: { "src/base.txt": "ok\n" } };
  await start({ "t-3": [fine, repair], "*": [fine] }, "BROKEN\n");
  const red = await project.run("--yes");
  expect([red.code, attempts(red.events), existsSync(`${project.dir}/../starts`)]).toEqual([4, [], false]);
  expect(red.events.at(-1)).toMatchObject({
    reason: "baseline-failed",
    iterations: 0,
    summary: expect.stringMatching(/without any attempt's changes: sh check\.sh: exit code 1: .*error TS1/),
    hint: expect.stringContaining("--allow-red"),
  });

  await project.ralph("task", "edit", "t-3", "--allow-red");
  expect((await project.ralph("task", "show", "t-3")).stdout).toMatch(/^red start +allowed$/m);
  const green = await project.run();
  expect(attempts(green.events)).toEqual(["t-3 1 failed", "t-3 2 done", "t-1 1 done", "t-2 1 done"]);
  expect(green.code).toBe(0);
  expect(finished(green.events)[0]?.["reason"]).toContain("verification failed as it did before the attempt");
  const told = project.read("../prompts/t-3-1.txt");
  expect(told).toContain("Verification failed before this attempt, without your changes.");
  expect(told).toContain("  - `sh check.sh`: exit code 1\n");
  expect(told).toContain("    | src/base.txt(1,1): error TS1: broken before");
  expect(project.read("../prompts/t-1-1.txt")).not.toContain("failed before this attempt");

  // The last task's tree has passed: the next run verifies only its own attempt.
  await project.addTasks([{ title: "fourth", id: "t-4" }]);
  const before = verifications();
  const again = await project.run();
  expect([again.code, baselines(again.events), verifications() - before]).toEqual([0, [], 1]);
});

test("LOOP-20: --allow-red attempts the tasks, and ralph verify runs the verification alone", async () => {
  await start({ "*": [fine] }, "BROKEN\n");
  const alone = await project.answer("verify");
  expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining("error TS1: broken before")]);
  const allowed = await project.run("--allow-red", "--once");
  expect(attempts(allowed.events)).toEqual(["t-1 1 failed"]);
  expect(project.read("../prompts/t-1-1.txt")).toContain("failed before this attempt");

  project.git("checkout", "-q", "--", ".");
  project.git("clean", "-qfd");
  project.write("src/base.txt", "ok\n");
  project.git("commit", "-qam", "repair");
  const json = JSON.parse((await project.answer("verify", "--json")).stdout);
  expect(json).toMatchObject({ passed: true, checks: [{ command: "sh check.sh", passed: true }] });
  const known = await project.run("--once");
  expect([attempts(known.events), baselines(known.events)]).toEqual([["t-1 2 done"], []]);
});

test("LOOP-20: the baseline has no task's leftovers, which return to their task; what verification changed does not count", async () => {
  const broken = { write: { "src/t-1.txt": "BROKEN\n" } };
  // The attempt edits what the verification rewrites, too.
  const both = { write: { "src/t-1.txt": "fine\n", "src/base.txt": "edited\n" } };
  await start(
    { "t-1": [broken, both], "*": [fine] },
    "ok\n",
    config.replace("sh check.sh", "sh check.sh && date +%N > src/base.txt"),
  );
  const first = await project.run("--once");
  expect([attempts(first.events), baselines(first.events)]).toEqual([["t-1 1 failed"], [true]]);

  project.write("README.md", "changed by a person\n");
  project.git("add", "README.md");
  project.git("commit", "-qm", "a person's commit");
  const second = await project.run("--once");
  expect([attempts(second.events), baselines(second.events)]).toEqual([["t-1 2 done"], [true]]);
  const moved = second.events.map(({ type }) => type).filter((type) => type.startsWith("salvage."));
  expect(moved).toEqual(["salvage.saved", "salvage.restored"]);
  expect(project.git("show", "--name-only", "--format=", "HEAD").split("\n")).toContain("src/t-1.txt");
});

test("LOOP-20: an error that stopped two tasks is checked against the baseline before a third begins", async () => {
  await start({ "t-2": [{ ...fine, run: [["touch", "../outage"]] }], "*": [fine] }, "ok\n");
  await project.addTasks([{ title: "fourth", id: "t-4" }]);
  const { code, events } = await project.run();
  const failed = ["t-2 1 failed", "t-2 2 failed", "t-3 1 failed", "t-3 2 failed"];
  expect(attempts(events)).toEqual(["t-1 1 done", ...failed]);
  expect([code, baselines(events)]).toEqual([4, [true, false]]);
  expect(events.at(-1)).toMatchObject({
    reason: "baseline-failed",
    summary: expect.stringMatching(/error: the database is down; an error stopped t-2 and t-3 alike/),
  });

  // The tree passed once, but failed since: the next run does not rely on the earlier pass.
  const next = await project.run();
  expect([next.code, attempts(next.events), baselines(next.events)]).toEqual([4, [], [false]]);
  // Nor does a run after `ralph verify` failed.
  rmSync(`${project.dir}/../outage`);
  expect((await project.answer("verify")).code).toBe(0);
  project.write("../outage", "");
  expect((await project.answer("verify")).code).toBe(1);
  const last = await project.run();
  expect([last.code, attempts(last.events), baselines(last.events)]).toEqual([4, [], [false]]);
});
