import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, ralphStart } from "../e2e/practice.ts";
import { landedTasks, redCommits, workersProject } from "./night.ts";

let project: Practice;
afterEach(() => project?.remove());

const branchOf = (events: readonly { readonly type: string }[]): string =>
  String((events.find(({ type }) => type === "run.started") as { branch?: unknown } | undefined)?.branch);

test("FLEET-2: each task lands once, every commit passes on its own, and nothing is left behind", async () => {
  const count = 20;
  project = await workersProject(count);
  project.write("mine.txt", "a person's\n");
  const before = project.git("rev-parse", "main");
  const { code, events } = await project.run("--workers", "4");
  const branch = branchOf(events);
  expect({ code, branch }).toEqual({ code: 0, branch: expect.stringMatching(/^ralph\/run-/) });
  const landed = landedTasks(project, branch);
  expect(landed.toSorted()).toEqual(Array.from({ length: count }, (_, at) => `t-${at + 1}`).toSorted());
  expect(redCommits(project, branch)).toEqual([]);
  expect(project.git("rev-parse", "main")).toBe(before);
  expect(project.git("status", "--porcelain")).toBe("?? mine.txt");
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(project.git("for-each-ref", "refs/ralph")).toBe("");
  const take = `git merge --ff-only ${branch}`;
  const status = await project.ralph("status");
  expect([status.stdout, status.stderr]).toEqual([
    expect.stringContaining(`${branch} has ${count} commits that HEAD does not have; to take them: ${take}`),
    expect.stringContaining(take),
  ]);
  const workers = new Set(
    Array.from({ length: count }, (_, at) => project.git("show", `${branch}:out-${at + 1}.txt`)),
  );
  expect(workers.size).toBe(4);
  const failures = finished(events).filter(({ outcome }) => outcome !== "done");
  expect(new Set(failures.map(({ reason }) => String(reason).replace(/ with.*| on .*|\(.*/g, "")))).toEqual(
    new Set(["it was verified, but conflicts in shared.txt", "verification passed"]),
  );
});

const kills = Number(process.env["RALPH_TEST_WORKER_KILLS"] ?? 3);
/** Tasks and workers of the kills: two tasks for each kill in the long form. */
const [killed, workers] = kills > 12 ? [2 * kills, "8"] : [12, "3"];

test(`FLEET-2 LOOP-11: after ${kills} kills the list is finished, with nothing lost, doubled or left behind`, {
  timeout: 60_000 + 20_000 * kills,
}, async () => {
  const count = killed;
  project = await workersProject(count);
  for (let kill = 0; kill < kills; kill += 1)
    await killRun(
      project,
      500 + Math.random() * 2500,
      (["SIGKILL", "SIGTERM", "SIGSTOP"] as const)[kill % 3] ?? "SIGKILL",
    );
  const { code } = await project.run("--workers", workers);
  expect(code, JSON.stringify(await project.json("task", "list"))).toBe(0);
  const branch = project.git("branch", "--list", "ralph/*", "--format=%(refname:short)").split("\n");
  expect(branch).toHaveLength(1);
  const landed = landedTasks(project, branch[0] ?? "");
  expect(landed.toSorted()).toEqual(Array.from({ length: count }, (_, at) => `t-${at + 1}`).toSorted());
  expect(redCommits(project, branch[0] ?? "")).toEqual([]);
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(project.git("for-each-ref", "refs/ralph")).toBe("");
});

/** Sends a run with workers this signal after so many milliseconds; one that stops goes on a second later, and is then killed. */
async function killRun({ dir, env }: Practice, afterMs: number, signal: NodeJS.Signals): Promise<void> {
  const args = ["run", "--workers", workers, "--quiet"];
  const run = spawn(process.execPath, [...ralphStart, ...args], { cwd: dir, env, stdio: "ignore" });
  const ended = new Promise((resolve) => run.once("close", resolve));
  const after = (ms: number) => Promise.race([ended, sleep(ms)]);
  await after(afterMs);
  run.kill(signal);
  if (signal === "SIGSTOP") {
    await after(1000);
    run.kill("SIGCONT");
    await after(500);
    run.kill("SIGKILL");
  }
  await ended;
}
