import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";
import { eventually, startRun } from "./started-run.ts";

const projects: Practice[] = [];
afterAll(() => {
  for (const project of projects) project.remove();
});

function track(made: Practice): Practice {
  projects.push(made);
  return made;
}

const statusOf = async (made: Practice): Promise<unknown> =>
  JSON.parse((await made.answer("status", "--json")).stdout);

/** Tasks `t-1`… of an agent that works on `t-1` until the file `go` is there. */
async function waitingProject(tasks: number): Promise<Practice> {
  const made = track(practice({ "src/base.txt": "x" }));
  const wait = ["sh", "-c", "while [ ! -e ../go ]; do sleep 0.05; done"];
  await made.useWorker(
    {
      prompts: "../prompts",
      "t-1": [{ run: [wait], write: { "src/{id}.txt": "x" } }],
      "*": [{ write: { "src/{id}.txt": "x" } }],
    },
    'verify: ["true"]\n',
  );
  await made.addTasks(Array.from({ length: tasks }, (_, n) => `task ${n + 1}`));
  return made;
}

// Alone: a run that answers too late is killed by stop --now.
test("LOOP-10: ralph stop and stop --now from another terminal end agent and run, and give the task back", async () => {
  const project = await waitingProject(1);
  for (const flags of [[], ["--now"]]) {
    const run = startRun(project);
    await run.seen("iteration.started");
    const stopped = await project.ralph("stop", ...flags, "--json");
    expect(stopped.code).toBe(0);
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      asked: "stop",
      state: "stopped",
      reason: "stopped",
      exitCode: 3,
    });
    expect(await run.ended).toEqual({ code: 3, signal: null });
    expect(run.events().at(-1)).toMatchObject({ type: "run.finished", reason: "stopped" });
    expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }]);
  }
  project.write("../go", "");
  expect((await project.run()).code).toBe(0);
});

// Side by side, as most of their time is waiting.
describe.concurrent("a run in another terminal", { timeout: 120_000 }, () => {
  test("LOOP-10: a paused run ends its iteration, waits, goes on when told, and can be stopped", async () => {
    const project = await waitingProject(3);
    const run = startRun(project);
    await run.seen("iteration.started");
    expect((await project.answer("pause")).stdout).toMatch(
      /^run-\w+ will pause after its current iteration\n$/,
    );
    expect((await project.answer("status")).stdout).toContain("pausing after this iteration");
    project.write("../go", "");
    await run.seen("run.paused");
    expect(run.events().filter(({ type }) => type === "commit.created").length).toBe(1);
    const status = await project.answer("status");
    expect(status.stdout).toMatch(/run-\w+ paused for/);
    expect(status.stderr).toContain("ralph resume");
    expect((await project.answer("pause")).stdout).toContain("is already paused");
    expect((await project.answer("resume")).stdout).toContain("continues");
    await run.seen("run.resumed");
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(project.read(".ralph/events.jsonl")).toMatch(/"type":"run\.asked".*"control":"pause"/);
    expect((await statusOf(project)) as object).toMatchObject({
      run: { active: false, pausedAt: null },
    });
  });

  test("LOOP-10: a second ralph stop hurries the first; what is stopping is neither paused nor resumed", async () => {
    const project = track(practice({ "src/base.txt": "x" }));
    project.write("deaf.sh", "trap '' INT TERM; : > ../deaf; sleep 60; sleep 60\n");
    await project.useWorker({}, 'verify: ["true"]\n');
    const config = project.read(".ralph/config.yaml").replace(/argv: \[.*?\]/, "argv: [sh, deaf.sh]");
    project.write(".ralph/config.yaml", config);
    project.git("add", "-A");
    project.git("commit", "-qm", "a deaf agent");
    await project.approveConfig();
    await project.addTasks(["one"]);
    const run = startRun(project);
    await eventually(() => existsSync(`${project.dir}/../deaf`));
    expect((await project.ralph("stop", "--no-wait")).stdout).toContain("was asked to stop");
    const late = await project.answer("pause");
    expect([late.code, late.stderr]).toEqual([5, expect.stringMatching(/is already stopping\nhint:/)]);
    // On a slow machine the first stop has ended the run by now, and there is none to force.
    const hurried = await project.ralph("stop", "--now");
    if (hurried.code === 0) expect(hurried.stdout).toMatch(/ stopped: |was killed/);
    else expect(hurried.code).toBe(5);
    await run.ended;
    expect(((await statusOf(project)) as { run: { active: boolean } }).run.active).toBe(false);
  });

  test("LOOP-10: a run that answers nothing is killed by ralph stop --now, and recovered", async () => {
    const project = await waitingProject(1);
    const run = startRun(project);
    // Once its agent is at work: before that, the run may be stopped amid a write, with the store locked.
    await eventually(() => existsSync(`${project.dir}/../prompts/t-1-1.txt`));
    run.child.kill("SIGSTOP");
    const stopped = JSON.parse((await project.ralph("stop", "--now", "--json")).stdout);
    expect(stopped).toMatchObject({ state: "killed", exitCode: null });
    expect(await run.ended).toEqual({ code: null, signal: "SIGKILL" });
    // No `../go`, and another file: the killed run's agent lives until the next run ends it, and may still write its own.
    project.setScript({ "*": [{ write: { "src/{id}-again.txt": "x" } }] });
    expect((await project.run()).code).toBe(0);
  });

  test("LOOP-10: ralph stop, pause and resume without a run say so", async () => {
    const project = track(practice());
    await project.useWorker({}, "");
    await project.addTasks(["one"]);
    for (const name of ["stop", "pause", "resume"]) {
      const none = await project.answer(name, "--json");
      expect(none.code).toBe(5);
      expect(JSON.parse(none.stdout)).toMatchObject({
        error: { code: "RALPH_RUN_NONE", hint: expect.any(String) },
      });
    }
  });
});
