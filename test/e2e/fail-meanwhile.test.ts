import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { duringIteration, type Practice, practice, type RunEvent, waitForPerson } from "./practice.ts";

// A person gives a task up in a second terminal while an agent is at work on it.

let project: Practice;
afterEach(() => project?.remove());

const write = { "src/{id}.txt": "x" };

/** Gives t-1 up with `command` while its agent does `work`. Returns what the run came to, and what the command said. */
async function giveUp<T>(run: () => Promise<T>, work: readonly string[], command: readonly string[]) {
  project = practice({ "src/base.txt": "ok\n" });
  await project.useWorker({ "t-1": [{ write, run: [work] }], "*": [{ write }] }, 'verify: ["true"]\n');
  await project.addTasks(["task 1", "task 2"]);
  const running = run();
  const said = await duringIteration(project, () => project.ralph(...command));
  return { ended: await running, said };
}

test.each(
  variants(
    [
      [["task", "skip", "t-1"], "a person skipped it"],
      [["task", "fail", "t-1", "--reason", "not wanted"], "it was marked failed: not wanted"],
    ] as const,
    1,
  ),
)(
  "TASK-9 TASK-10: ralph %j says that the agent's result does not count, and the run says why",
  async (command, why) => {
    const { said, ended } = await giveUp(() => project.start("run"), waitForPerson, command);
    expect(said.stderr).toMatch(
      /^note: an agent works on t-1 in run run-\w+: its result will not count, and its session ends within 15 s\nhint: run `ralph stop` to stop the whole run/,
    );
    expect(ended.stdout).toContain(`! verified, but this result does not count: ${why}`);
    expect(ended.stdout).not.toContain("claimed by another run");
    expect(ended.stdout.match(/✓ done/g)).toHaveLength(1);
  },
);

async function failDuring(work: readonly string[]): Promise<readonly RunEvent[]> {
  const command = ["task", "fail", "t-1", "--reason", "not wanted any more"];
  const { said, ended } = await giveUp(() => project.run(), work, command);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringMatching(/^failed t-1/) });
  return ended.events;
}

async function expectFailedAndNextDone(): Promise<void> {
  expect(await project.json("task", "list")).toMatchObject([
    { id: "t-1", status: "failed" },
    { id: "t-2", status: "done" },
  ]);
  expect(project.commits().slice(0, 2)).toEqual(["task 2", "configure ralph"]);
  expect(project.git("show", "--name-only", "--format=", "HEAD")).toBe("src/t-2.txt");
  expect(project.git("for-each-ref", "refs/ralph/salvage")).toContain("t-1");
}

test("TASK-9 LOOP-2: the agent of a task failed by a person is ended, and the run continues", async () => {
  const start = Date.now();
  const events = await failDuring(["sh", "-c", "touch ../at-work; sleep 90"]);
  expect(Date.now() - start).toBeLessThan(60_000);
  expect(events.filter(({ type }) => type === "iteration.interrupted")).toMatchObject([
    { taskId: "t-1", message: "the task is no longer this run's: it was marked failed: not wanted any more" },
  ]);
  await expectFailedAndNextDone();
}, 100_000);
