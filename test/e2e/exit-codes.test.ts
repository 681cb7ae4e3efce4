import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const work = { "*": [{ write: { "src/{id}.txt": "x" } }] };

async function started(
  script: Record<string, unknown> = work,
  config = 'verify: ["true"]\n',
): Promise<Practice> {
  const made = practice({ "src/base.txt": "x" });
  await made.useWorker(script, config);
  await made.addTasks(["first", "second"]);
  return made;
}

test("LOOP-14: 0 when all is done, and again when there is nothing left to do", async () => {
  project = await started();
  expect((await project.ralph("run")).code).toBe(0);
  expect((await project.ralph("run")).code).toBe(0);
});

test("LOOP-14 TASK-9: 1 when a task was marked failed and what is left waits for it", async () => {
  project = await started();
  await project.ralph("task", "depend", "t-2", "t-1");
  await project.ralph("task", "fail", "t-1", "--reason", "not wanted");
  const { code, events } = await project.run();
  expect(code).toBe(1);
  expect(events.at(-1)).toMatchObject({
    reason: "failed",
    tasks: { failed: 1, blocked: 1 },
    summary: expect.stringMatching(/^1 task failed; 1 task depends on it — 0 done, 2 left /),
  });
});

test("LOOP-14 LOOP-19: 3 with tasks left after --once, with a hint; log shows --name", async () => {
  project = await started();
  const { code, stdout } = await project.ralph("run", "--once", "--name", "nightly\u001b[2J\nrun");
  expect(code).toBe(3);
  expect(stdout).toMatch(/1 done, 1 left/);
  expect(stdout).toMatch(/hint: (?:run `)?ralph run/);
  // LOOP-19: --name.
  expect((await project.ralph("run")).code).toBe(0);
  const runs = await project.json("log");
  expect(runs).toMatchObject([{ name: null }, { name: expect.stringMatching(/^nightly/) }]);
  const [first, second] = (await project.ralph("log")).stdout.trimEnd().split("\n");
  expect(first).toMatch(/ · nightly run$/);
  expect(second).not.toContain("nightly");
});

test("LOOP-14 LOOP-20: 5 when the agent's program is missing, before a verification and without burning an attempt", async () => {
  project = await started();
  const agent = 'agent: command\nagents:\n  command: { argv: ["no-such-agent"] }\n';
  project.write(".ralph/config.yaml", `${agent}verify: ["touch ../verified"]\nverifyBaseline: auto\n`);
  project.git("commit", "-qam", "another agent");
  await project.approveConfig();
  const { code, events } = await project.run();
  expect(code).toBe(5);
  expect(events.at(-1)).toMatchObject({
    reason: "not_found",
    summary: expect.stringContaining("no-such-agent was not found"),
    hint: expect.stringContaining("agents.command"),
  });
  expect(() => project.read("../verified")).toThrow();
  expect(await project.json("task", "list")).toMatchObject([{ attempts: 0, status: "pending" }, {}]);
});

test("LOOP-14: `ralph help exit-codes` prints them all", async () => {
  project = practice();
  const { stdout } = await project.answer("help", "exit-codes");
  expect([...stdout.matchAll(/^ {2} *(\d+) {2}\S/gm)].map((match) => Number(match[1]))).toEqual([
    0, 1, 2, 3, 4, 5, 70, 130,
  ]);
  expect(stdout).toMatch(/^ +3 .*`ralph stop`$/m);
  expect(stdout).toMatch(/^ +130 .*Ctrl-C.*129.*143/m);
  expect((await project.answer("help", "run")).stdout).toMatch(/130\s+Ctrl-C/);
});

test("LOOP-19: --spec gives the prompt its context and the run its tasks; --branch works on a new branch", async () => {
  project = practice();
  await project.useWorker({ prompts: "../prompts", ...work }, 'verify: ["true"]\n');
  project.write("spec.md", "# The till\n\nPrices are in cents.\n\n- [ ] Add it up\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "spec");
  const { code, events } = await project.run(
    "--spec",
    "spec.md",
    "--branch",
    "till",
    "--max-iterations",
    "1",
  );
  expect(code).toBe(0);
  const id = String(events.find(({ type }) => type === "iteration.started")?.["taskId"]);
  expect(project.read(`../prompts/${id}-1.txt`)).toContain("Prices are in cents.");
  expect(project.git("branch", "--show-current")).toBe("till");
  expect(project.read("spec.md")).toContain("- [x] Add it up");
  execFileSync("/bin/sh", ["-c", `mkfifo "${join(project.dir, "pipe.md")}"`]);
  const pipe = await project.ralph("run", "--spec", "pipe.md");
  expect(pipe).toMatchObject({ code: 2, stderr: expect.stringContaining("not a regular file") });
});
