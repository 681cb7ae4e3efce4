import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, type RunEvent } from "./practice.ts";

// A person gives a task up in a second terminal while an agent is at work on it.

let project: Practice;
afterEach(() => project?.remove());

const write = { "src/{id}.txt": "x" };

interface Given {
  readonly running: Promise<string>;
  /** What the command that gave the task up said. */
  readonly stderr: string;
}

/** Gives t-1 up with `command` while its agent waits for that, in a run whose lines a person sees. */
async function seenRun(...command: string[]): Promise<Given> {
  project = practice({ "src/base.txt": "ok\n" });
  const waits = ["sh", "-c", "while [ ! -e ../failed ]; do sleep 0.05; done"];
  await project.useWorker({ "t-1": [{ write, run: [waits] }], "*": [{ write }] }, 'verify: ["true"]\n');
  await project.addTasks(["task 1", "task 2"]);
  const running = project.start("run").then(({ stdout }) => stdout);
  for (let status = ""; status !== "in_progress"; await sleep(50)) {
    status = ((await project.json("task", "show", "t-1")) as { status: string }).status;
  }
  const { stderr } = await project.ralph(...command);
  project.write("../failed", "");
  return { running, stderr };
}

test.each([
  [["task", "skip", "t-1"], "a person skipped it"],
  [["task", "fail", "t-1", "--reason", "not wanted"], "it was marked failed: not wanted"],
])(
  "TASK-9 TASK-10: ralph %j says that the agent's result does not count, and the run says why",
  async (command, why) => {
    const { running, stderr } = await seenRun(...command);
    expect(stderr).toMatch(
      /^note: an agent works on t-1 in run run-\w+: its result will not count, and its session ends within 15 s\nhint: run `ralph stop` to stop the whole run/,
    );
    const shown = await running;
    expect(shown).toContain(`! verified, but this result does not count: ${why}`);
    expect(shown).not.toContain("claimed by another run");
    expect(shown.match(/✓ done/g)).toHaveLength(1);
  },
);

async function failDuring(step: Record<string, unknown>): Promise<readonly RunEvent[]> {
  project = practice({ "src/base.txt": "ok\n" });
  await project.useWorker({ "t-1": [{ write, ...step }], "*": [{ write }] }, 'verify: ["true"]\n');
  await project.addTasks(["task 1", "task 2"]);
  const running = project.run();
  for (let status = ""; status !== "in_progress"; await sleep(50)) {
    status = ((await project.json("task", "show", "t-1")) as { status: string }).status;
  }
  const failed = await project.ralph("task", "fail", "t-1", "--reason", "not wanted any more");
  expect(failed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^failed t-1/) });
  project.write("../failed", "");
  return (await running).events;
}

async function expectFailedAndNextDone(): Promise<void> {
  expect(await project.json("task", "list")).toMatchObject([
    { id: "t-1", status: "failed" },
    { id: "t-2", status: "done" },
  ]);
  expect(project.commits().slice(0, 2)).toEqual(["task 2 (t-2)", "configure ralph"]);
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-2.txt");
  expect(project.git("for-each-ref", "refs/ralph/salvage")).toContain("t-1");
}

test("TASK-9 LOOP-2: a task failed by a person stays failed when its agent is done, and the run goes on", async () => {
  const waits = ["sh", "-c", "while [ ! -e ../failed ]; do sleep 0.05; done"];
  const events = await failDuring({ run: [waits] });
  expect(events.filter(({ type }) => type === "iteration.finished")).toMatchObject([
    { taskId: "t-1", outcome: "done", taskStatus: "lost" },
    { taskId: "t-2", outcome: "done", taskStatus: "done" },
  ]);
  await expectFailedAndNextDone();
});

test("TASK-9 LOOP-2: the agent of a task failed by a person is ended, and the run goes on", async () => {
  const start = Date.now();
  const events = await failDuring({ run: [["sleep", "90"]] });
  expect(Date.now() - start).toBeLessThan(60_000);
  expect(events.filter(({ type }) => type === "iteration.interrupted")).toMatchObject([
    { taskId: "t-1", message: "the task is no longer this run's: it was marked failed: not wanted any more" },
  ]);
  await expectFailedAndNextDone();
}, 100_000);
