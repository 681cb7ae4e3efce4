import { rmSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, type RunEvent } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

async function withTasks(script: Record<string, unknown>, count: number): Promise<Practice> {
  const made = practice({ "src/base.txt": "ok\n" });
  await made.useWorker(script, 'sandbox: "off"\nverify: ["true"]\n');
  await made.addTasks(Array.from({ length: count }, (_, n) => `task ${n + 1}`));
  return made;
}

const finished = (events: readonly RunEvent[]) =>
  events.filter((event) => event.type === "iteration.finished");

test("TRUST-8 LOOP-1: of two runs that start at once, one works and the other is refused", async () => {
  project = await withTasks({ "*": [{ sleepMs: 400, write: { "src/{id}.txt": "x" } }] }, 2);
  const runs = await Promise.all([project.run(), project.run()]);
  expect(runs.map(({ events }) => finished(events).length).sort()).toEqual([0, 2]);
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 5]);
  expect(runs.map(({ stderr, events }) => stderr + JSON.stringify(events)).join()).toContain(
    "another run is active in this project",
  );
});

const removals = {
  "removes the store": "rm -f .ralph/progress.db*",
  "puts other text in its place": "rm -f .ralph/progress.db*; echo hello > .ralph/progress.db",
  "removes ralph's folder": "rm -rf .ralph",
  "cleans all that git ignores": "git clean -qfdx",
};

test(`LOOP-18 LOOP-11: when an agent ${Object.keys(removals).join(", ")}, the run continues with what the store held`, async () => {
  const steps = Object.values(removals).map((command) => [
    { run: [["sh", "-c", `${command}; echo x > src/$RALPH_TASK_ID.txt`]] },
  ]);
  const byTask = Object.fromEntries(steps.map((step, n) => [`t-${n + 1}`, step]));
  project = await withTasks(byTask, steps.length);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  const putBack = "wrote .ralph/progress.db back: it was removed or replaced while ralph had it open";
  expect(finished(events).map(({ taskId, warnings }) => [taskId, warnings])).toEqual(
    steps.map((_, n) => [`t-${n + 1}`, expect.arrayContaining([putBack])]),
  );
  expect(await project.json("task", "list")).toMatchObject(steps.map(() => ({ status: "done" })));
  expect((await project.answer("doctor")).stdout).not.toMatch(/corrupt|repair/);
});

test("LOOP-14 LOOP-10: with git's folder gone the run says so and holds no task", async () => {
  project = await withTasks({ "*": [{ run: [["mv", ".git", "../git-of-it"]] }] }, 1);
  const { code, events } = await project.run();
  expect(code).toBe(5);
  expect(events.at(-1)).toMatchObject({ reason: "git", summary: expect.stringContaining("was removed") });
  expect(events.at(-1)?.["summary"]).not.toContain("commit of verified work");
  expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }]);
  rmSync(`${project.dir}/../git-of-it`, { recursive: true });
});

test("LOOP-14 LOOP-19: a run of one task that waits for another says which", async () => {
  project = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, 2);
  await project.ralph("task", "depend", "t-2", "t-1");
  const { events } = await project.run("t-2");
  expect(events.at(-1)).toMatchObject({
    summary: expect.stringContaining("t-2 waits for t-1"),
    iterations: 0,
  });
});
