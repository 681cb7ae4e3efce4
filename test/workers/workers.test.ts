import { spawn } from "node:child_process";
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

test(`FLEET-2 LOOP-11: after ${kills} kills the list is finished, with nothing lost, doubled or left behind`, async () => {
  const count = 12;
  project = await workersProject(count);
  for (let kill = 0; kill < kills; kill += 1) await killRun(project, 500 + Math.random() * 2500, "SIGKILL");
  const { code } = await project.run("--workers", "3");
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

/** Starts a run with workers and kills ralph after so many milliseconds, unless it has ended. */
async function killRun({ dir, env }: Practice, afterMs: number, signal: NodeJS.Signals): Promise<void> {
  const run = spawn(process.execPath, [...ralphStart, "run", "--workers", "3", "--quiet"], { cwd: dir, env });
  const timer = setTimeout(() => run.kill(signal), afterMs);
  await new Promise((resolve) => run.once("close", resolve));
  clearTimeout(timer);
}
