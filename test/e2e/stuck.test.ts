import { afterEach, expect, test } from "vitest";
import { finished, type Practice, type RunEvent, verify, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Leaves other changes each time, with the same error. */
const broken = { write: { "src/{id}.txt": "BROKEN {attempt}" } };
/** Leaves the same changes each time. */
const stalled = { write: { "src/{id}.txt": "BROKEN" } };
const fine = { write: { "src/{id}.txt": "fine\n" } };
const split = (...lines: readonly string[]): string =>
  ["Too large.", "", "<subtasks>", ...lines, "</subtasks>", "", "<task-failed>{id}</task-failed>"].join("\n");
const models = (events: readonly RunEvent[]) => finished(events).map(({ model }) => model);

test("STRAT-4: a report, a stronger model, a warning with a split, and the parts are worked on in its place", async () => {
  const proposal = {
    ...broken,
    say: split("- [ ] the first half", "  Only dates.", "- [ ] the second half"),
  };
  project = await withTasks(
    { prompts: "../prompts", "t-1": [broken, broken, broken, proposal], "*": [fine] },
    ["too large", "small"],
  );
  const { code, events } = await project.run("--max-attempts", "4");
  expect(code).toBe(0);
  expect(models(events).slice(0, 4)).toEqual(["small", "small", "large", "large"]);
  expect(project.read("../prompts/t-1-2.txt")).toContain("### Previous Attempts");
  expect(project.read("../prompts/t-1-3.txt")).not.toContain("subtasks");
  const warned = project.read("../prompts/t-1-4.txt");
  expect(warned).toContain("the same error 3 times: src/t-1.txt(1,7): error TS2322");
  expect(warned).toContain("<subtasks>");
  const [told] = events.filter(({ type }) => type === "task.split");
  expect(told).toMatchObject({
    taskId: "t-1",
    children: [{ title: "the first half" }, { title: "the second half" }],
  });
  const list = (await project.json("task", "list")) as readonly Record<string, unknown>[];
  const parts = list.filter(({ parentId }) => parentId === "t-1");
  expect(list.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
  expect(parts.map(({ attempts }) => attempts)).toEqual([1, 1]);
  expect(project.read(`../prompts/${parts[0]?.["id"]}-1.txt`)).toContain("Only dates.");
  // Its unfinished work is aside, and does not come back over the work of its parts.
  expect(project.git("for-each-ref", "--format=%(refname)", "refs/ralph")).toContain("salvage/t-1-4");
  expect(project.git("status", "--porcelain")).toBe("");
  expect(project.git("ls-files", "src")).not.toContain("src/t-1.txt");
});

test("STRAT-4 TASK-2: a split task with a verification of its own is verified once its parts are done", async () => {
  project = await withTasks(
    { "t-9": [{ say: "All is there.\n\n<task-done>t-9</task-done>" }], "*": [fine] },
    [],
  );
  const whole = "test $(ls src | wc -l) -eq 3";
  await project.ralph("task", "add", "whole", "--id", "t-9", "--verify", whole);
  await project.ralph("trust", "approve", "--yes");
  await project.ralph("task", "split", "t-9", "one", "two");
  const list = (await project.json("task", "list")) as readonly Record<string, unknown>[];
  const [one, two] = list.filter(({ parentId }) => parentId === "t-9").map(({ id }) => String(id));
  const { code, events } = await project.run();
  expect(finished(events).map(({ taskId, verification }) => [taskId, verification])).toEqual([
    [one, "passed"],
    [two, "passed"],
    ["t-9", "passed"],
  ]);
  expect(code).toBe(0);
});

test("STRAT-4 SIG-9: a split that nobody asked for, or that is none, is refused and the next prompt says why", async () => {
  const early = { ...broken, say: split("- [ ] a", "- [ ] b") };
  const bad = { ...broken, say: split("- [ ] too large", "- [ ] b") };
  project = await withTasks({ prompts: "../prompts", "t-1": [early, broken, broken, bad, broken] }, [
    "too large",
  ]);
  const { code, events } = await project.run("--max-attempts", "5");
  expect(code).toBe(4);
  expect(project.read("../prompts/t-1-2.txt")).toContain(
    "attempt 1 proposed was not made**: a task is split",
  );
  expect(project.read("../prompts/t-1-3.txt")).not.toContain("was not made");
  expect(project.read("../prompts/t-1-5.txt")).toContain(
    "has the same title as the task that it would be a part",
  );
  expect(finished(events).filter(({ splitRefused }) => splitRefused !== null)).toHaveLength(2);
  const [parked] = (events.at(-1)?.["needs"] ?? []) as readonly { reason: string }[];
  expect(parked?.reason).toMatch(
    /^needs a person: 5 attempts failed, the last because .*error TS2322: Type 'string'/,
  );
});

test("STRAT-4: attempts without progress park a task before the strong tier is paid for; the others go on", async () => {
  project = await withTasks(
    {
      "t-1": [{}],
      "t-2": [stalled],
      "t-3": [{ say: "No key.\n\n<task-failed>t-3</task-failed>" }],
      "t-4": [broken],
      "*": [fine],
    },
    ["change nothing", "repeat", "give up", "vary", "work"],
    `${verify}limits: { stuckAfter: 2, maxAttempts: 9 }\n`,
  );
  const { code, events } = await project.run();
  const tried = (id: string) => models(events.filter(({ taskId }) => taskId === id)).join(" ");
  expect(["t-1", "t-2", "t-3", "t-4", "t-5"].map(tried)).toEqual([
    "small small",
    "small small",
    "small small",
    "small small large",
    "small",
  ]);
  const needs = (events.at(-1)?.["needs"] ?? []) as readonly { id: string; reason: string }[];
  expect(needs.map(({ id, reason }) => `${id} ${reason}`)).toEqual([
    "t-1 needs a person: attempts 1 and 2 changed nothing: the agent claimed completion, but nothing in the project has changed, and no <no-change-needed> says why",
    expect.stringMatching(
      /^t-2 needs a person: attempts 1 and 2 left the same changes and had the same error: .*error TS2322/,
    ),
    "t-3 needs a person: attempts 1 and 2 changed nothing and had the same error: the agent reported failure: No key",
    expect.stringMatching(/^t-4 needs a person: attempt 3 had the same error again, .*error TS2322/),
  ]);
  expect(code).toBe(4);
});
