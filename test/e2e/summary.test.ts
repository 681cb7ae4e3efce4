import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { failToSign, type Practice, practice, type RunEvent, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const broken = { write: { "src/{id}.txt": "BROKEN" } };
const fine = { write: { "src/{id}.txt": "fine\n" } };
const lines = (text: string): readonly string[] => text.split("\n");

/** One task is done at once, one at its second attempt, one never. */
const night = (): Promise<Practice> =>
  withTasks({ "t-2": [broken, fine], "t-3": [broken], "*": [fine] }, ["first", "second", "hopeless"]);

interface Report {
  readonly report: {
    readonly attempts: number;
    readonly done: number;
    readonly byModel: readonly Record<string, unknown>[];
    readonly commits: readonly Record<string, unknown>[];
    readonly tasks: readonly Record<string, unknown>[];
    readonly memory: { readonly captured: unknown; readonly helped: readonly { readonly how: string }[] };
  };
}

test("LOOP-17 IF-2 CTX-2: a run ends with what was done, what it took by model, what helped and what needs a person", async () => {
  project = await night();
  const { code, events } = await project.run("--max-attempts", "2");
  expect(code).toBe(4);
  const end = events.at(-1) as RunEvent & Report;
  expect(end).toMatchObject({
    type: "run.finished",
    tasks: { done: 2, failed: 0, blocked: 1, pending: 0 },
    next: "ralph log t-3",
    needs: [{ id: "t-3", title: "hopeless", reason: expect.stringContaining("error TS2322") }],
  });
  expect(end.report).toMatchObject({ attempts: 5, done: 2 });
  expect(end.report.byModel).toEqual([
    expect.objectContaining({ model: "small", attempts: 5, done: 2, costUsd: null, unpriced: 5 }),
  ]);
  expect(end.report.tasks).toMatchObject([
    { id: "t-1", attempts: 1, done: true, status: "done" },
    { id: "t-2", attempts: 2, done: true },
    { id: "t-3", attempts: 2, done: false, status: "blocked" },
  ]);
  expect(end.report.commits.map(({ subject }) => subject)).toEqual(["first", "second"]);
  expect(end.report.memory.captured).toEqual([
    { what: "failure report", count: 3 },
    { what: "learning", count: 1 },
  ]);
  expect(end.report.memory.helped).toMatchObject([
    { how: "t-2 passed on attempt 2, with 1 earlier failure in its prompt" },
  ]);

  // CTX-2: by the names and fields that older tools know, in the log.
  const log = lines(readFileSync(join(project.dir, ".ralph/events.jsonl"), "utf8"))
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RunEvent);
  const jobId = events.at(-1)?.["jobId"];
  const common = { jobId, workdir: project.dir, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) };
  const told = log.filter(({ type }) => /^(?:loop|story)_/.test(type));
  expect(told.map(({ type, storyId }) => [type, storyId])).toEqual([
    ["loop_start", undefined],
    ["story_complete", "t-1"],
    ["story_failed", "t-2"],
    ["story_complete", "t-2"],
    ["story_failed", "t-3"],
    ["story_failed", "t-3"],
    ["loop_complete", undefined],
  ]);
  expect(told[0]).toMatchObject({ ...common, totalStories: 3 });
  expect(told[1]).toMatchObject({
    ...common,
    storyTitle: "first",
    filesModified: ["src/t-1.txt"],
    commitHash: project.git("rev-parse", "HEAD~1"),
    duration: expect.any(Number),
    summary: "Finished.",
  });
  expect(told[2]).toMatchObject({
    ...common,
    storyTitle: "second",
    error: expect.stringContaining("error TS2322"),
    category: "type_error",
    duration: expect.any(Number),
  });
  expect(told.at(-1)).toMatchObject({
    ...common,
    storiesCompleted: 2,
    totalStories: 3,
    duration: expect.any(Number),
    results: [
      { storyTitle: "first", success: true },
      { storyTitle: "second", success: true },
      { storyTitle: "hopeless", success: false },
    ],
  });
});

test("LOOP-17: off a terminal the summary is plain and fits 80 columns; ralph log RUN tells it again", async () => {
  project = await night();
  await project.ralph("task", "add", "after it", "--id", "t-4", "--after", "t-3");
  await project.ralph("task", "add", "after that", "--id", "t-5", "--after", "t-4");
  const { stdout } = await project.ralph("run", "--max-attempts", "2");
  const summary = lines(stdout.slice(stdout.lastIndexOf("\n\n") + 2)).filter(Boolean);
  const text = summary.join("\n");
  expect(text).toMatch(/^■ stuck: the remaining tasks need a person — 2 done, 3 left/);
  expect(text).toMatch(/^ {2}attempts {4}5 attempts: 2 done, 3 failed; /m);
  expect(text).not.toMatch(/unknown|^ {2}models/m);
  expect(text).toMatch(/^ {2}learned {5}3 failure reports, 1 learning$/m);
  expect(text).toMatch(/^ {2}helped {6}t-2 passed on attempt 2/m);
  expect(text).toMatch(/^ {2}commits {5}[0-9a-f]{9} first$/m);
  expect(text).toMatch(/^ {2}⊘ t-3 hopeless\n {4}needs a person: 2 attempts failed/m);
  expect(text).toMatch(/^ {2}… 2 tasks wait for these: t-4, t-5$/m);
  expect(text).toMatch(/^hint: ralph log t-3 /m);
  expect(Math.max(...summary.map((line) => line.length))).toBeLessThanOrEqual(80);

  const [run] = (await project.json("log")) as readonly Record<string, unknown>[];
  expect(run).toMatchObject({ reason: "stuck", exitCode: 4, attempts: 5, done: 2 });
  const id = String(run?.["id"]);
  for (const words of [[id]]) {
    const again = await project.ralph("log", ...words);
    expect(again.stdout).toContain("helped      t-2 passed on attempt 2");
    expect(again.stdout).toContain("⊘ t-3 hopeless");
  }
  expect(await project.json("log", id)).toMatchObject({
    id,
    report: { attempts: 5 },
    attempts: { length: 5 },
  });
  expect((await project.ralph("log")).stdout).toContain(`${id}  stuck`);
  expect((await project.answer("status")).stdout).toContain("2 of 5 attempts done");
});

test("LOOP-17 UX-3: ralph log TASK tells a task's whole history", async () => {
  project = await withTasks({ "t-1": [broken, { sleepMs: 60_000 }, fine], "*": [fine] }, [
    "first",
    "never run",
  ]);
  await project.run("--once", "t-1");
  await project.run("--max-duration", "2s", "t-1");
  await project.ralph("task", "split", "t-1", "one", "two");
  const { stdout } = await project.ralph("log", "t-1");
  const inOrder = ["attempt 1 · failed", "tried:", "error TS2322", "interrupted by deadline", "split into"];
  const places = inOrder.map((text) => stdout.lastIndexOf(text));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  const json = (await project.json("log", "t-1")) as Record<string, readonly unknown[]>;
  expect(json).toMatchObject({
    id: "t-1",
    attempts: [{ attempt: 1 }],
    interruptions: [{ kind: "deadline" }],
  });
  expect(json["reports"]).toHaveLength(1);
  const untried = await project.ralph("log", "t-2");
  expect([untried.code, untried.stderr]).toEqual([0, expect.stringContaining("no attempts yet")]);
  const misspelt = await project.ralph("log", "t-11");
  expect([misspelt.code, misspelt.stderr]).toEqual([2, expect.stringContaining("did you mean t-1")]);
  expect((await project.ralph("log", "run-00")).code).toBe(2);
});

test("CTX-2: a run that could not go on ends with loop_error and the story it was at", async () => {
  project = await withTasks({ "*": [fine] }, ["first"]);
  failToSign(project);
  const { code, events } = await project.run();
  expect(code).toBe(5);
  expect(events.find(({ type }) => type === "loop_error")).toMatchObject({
    error: expect.stringContaining("git could not commit"),
    lastStory: { id: "t-1", title: "first" },
    workdir: project.dir,
  });
});

test("LOOP-17 TASK-10: the end of a run names open items of its list that were not imported", async () => {
  const list = "- [ ] First\n";
  project = practice({ "tasks.md": list });
  const added = { run: [["sh", "-c", "grep -q Extra tasks.md || printf -- '- [ ] Extra\\n' >> tasks.md"]] };
  await project.useWorker({ "*": [{ ...fine, ...added }] }, 'verify: ["true"]\nsync: off\n');
  await project.answer("task", "import", "tasks.md");
  const { code, stdout } = await project.ralph("run");
  expect(code).toBe(4);
  expect(stdout).toContain("1 open item of tasks.md is not imported: ralph task sync");
  expect((await project.ralph("task", "sync")).stdout).toContain("Extra");
  const again = await project.run();
  expect([again.code, again.events.at(-1)?.["notImported"]]).toEqual([0, undefined]);
});
