import { spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, ralphStart } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const testsOf = (...names: readonly string[]): string =>
  names.map((name) => `test("${name}", () => {\n  expect(${name}()).toBe("${name}");\n});\n`).join("\n");
const files = {
  "package.json":
    '{ "scripts": { "test": "sh ci/check.sh && sh ci/other.sh && sh ci/more.sh", "lint": "true" } }\n',
  "ci/check.sh": "! grep -rq BROKEN src\n",
  "ci/other.sh": "true\n",
  "test/unit.test.mjs": testsOf("one", "two"),
  "test/third.test.mjs": testsOf("seven", "eight"),
  "ci/more.sh": "true\n",
  "golden/a.txt": "a\n",
  "src/base.txt": "ok\n",
};

type Moves = Readonly<Record<string, readonly (readonly string[])[]>>;

const direct = "sh ci/check.sh && sh ci/other.sh && sh ci/more.sh";

/** Runs one task for each move; its agent also writes a file. */
async function attempts(guard: string, moves: Moves, verify: string = direct) {
  project = practice(files);
  const steps = Object.entries(moves).map(([id, run]) => [id, [{ write: { "src/{id}.txt": "x" }, run }]]);
  const config = `verify: ["${verify}"]\nverifyGuard: ${guard}\nprotect: ["golden/**"]\nlimits: { maxAttempts: 1 }\n`;
  await project.useWorker(Object.fromEntries(steps), config);
  await project.addTasks(Object.keys(moves).map((id) => ({ id, title: `task ${id}` })));
  const { events } = await project.run();
  const of = (id: string) => finished(events).find((event) => event["taskId"] === id);
  return { of, end: events.at(-1), warnings: (id: string) => of(id)?.["warnings"] };
}

const sh = (script: string): readonly string[] => ["sh", "-c", script];
const hide = (flag: string, path = "ci/check.sh"): readonly string[] => [
  "git",
  "update-index",
  `--${flag}`,
  path,
];
const weakerOf = (path: string): string => `${path} was changed: verification runs it`;
const weaker = weakerOf("ci/check.sh");
const weakenIn = (path: string) => sh(`echo : >> ${path}`);
const weaken = weakenIn("ci/check.sh");
const hidden = (flag: string, path: string): string =>
  `${path} was hidden from git (${flag}); that is undone, and it is judged`;
const honest: Moves = {
  none: [],
  script: [sh(`sed -i 's/"lint"/"demo": "true", "lint"/' package.json`)],
  adds: [sh("mkdir -p test/more; sed 's/one/three/g' test/unit.test.mjs > test/more/b.test.mjs")],
  moves: [
    sh(
      "mkdir -p test/own; git mv test/unit.test.mjs test/own/unit.test.mjs; git mv test/own/unit.test.mjs test/own/all.test.mjs",
    ),
  ],
};

test("LOOP-18: what weakens verification is reported with the attempt, in the summary and in the log", async () => {
  const { warnings, end } = await attempts("report", {
    check: [weaken],
    again: [weaken, ["git", "commit", "-qam", "by the agent"]],
    committed: [weakenIn("ci/other.sh"), ["git", "commit", "-qam", "by the agent"]],
    skip: [hide("skip-worktree", "ci/more.sh"), weakenIn("ci/more.sh")],
    both: [sh(`echo b > golden/b.txt; sed -i 's/test("seven"/test.skip("seven"/' test/third.test.mjs`)],
  });
  expect(warnings("check")).toEqual([weaker]);
  // Each file is named once in a run.
  expect(warnings("again")).toEqual([]);
  expect(warnings("committed")).toEqual([weakerOf("ci/other.sh")]);
  expect(warnings("skip")).toEqual([hidden("skip-worktree", "ci/more.sh"), weakerOf("ci/more.sh")]);
  const [both] = warnings("both") as [string];
  expect(both.split("\n")).toEqual([
    "2 files that checks read: test/third.test.mjs, golden/b.txt",
    'test/third.test.mjs was changed: the test "seven" is skipped',
    "golden/b.txt was added: it is protected",
  ]);
  expect(project.git("ls-files", "-v", "ci/check.sh")).toBe("H ci/check.sh");
  expect(end?.["report"]).toMatchObject({
    warnings: expect.arrayContaining([{ taskId: "check", attempt: 1, text: weaker }]),
  });
  const [run] = (await project.json("log")) as { id: string }[];
  const summary = (await project.ralph("log", run?.id ?? "")).stdout;
  expect(summary).toContain("check attempt 1: ci/check.sh was changed");
  expect(summary).toContain("both attempt 1: 2 files that checks read: ");
  expect(summary).not.toContain('the test "seven" is skipped');
  expect((await project.ralph("log", "both")).stdout).toContain('the test "seven" is skipped');
});

test("LOOP-18: under strict such an attempt fails with the reason and the commands that accept it, and honest work is done", async () => {
  const { of, end } = await attempts(
    "strict",
    { hidden: [hide("skip-worktree"), weaken], ...honest },
    "npm test",
  );
  expect(of("hidden")).toMatchObject({
    outcome: "failed",
    verification: "failed",
    reason: `verification itself was changed: ${weaker}`,
  });
  // The failed task's changes wait for its retry.
  for (const id of Object.keys(honest)) expect(of(id), id).toMatchObject({ outcome: "done", warnings: [] });
  expect(end).toMatchObject({
    exitCode: 4,
    needs: [
      {
        reason: expect.stringMatching(
          /^needs a person: if you want its changes .*: ralph task retry hidden, then RALPH_VERIFY_GUARD=report ralph run hidden \(/,
        ),
      },
    ],
  });
  await project.ralph("task", "retry", "hidden");
  const again = spawnSync(process.execPath, [...ralphStart, "run", "hidden", "--json"], {
    cwd: project.dir,
    env: { ...project.env, RALPH_VERIFY_GUARD: "report" },
    encoding: "utf8",
  });
  expect(again.status).toBe(0);
  expect(project.git("show", "--format=", "--name-only", "HEAD")).toContain("ci/check.sh");
});

test("LOOP-18: under strict a change that the next attempt makes too ends the run with the command that accepts it", async () => {
  project = practice(files);
  const config = `verify: ["${direct}"]\nverifyGuard: strict\n`;
  await project.useWorker({ "t-1": [{ write: { "src/a.txt": "x" }, run: [weaken] }], "*": [{}] }, config);
  await project.addTasks(["first", "second"]);
  const { code, events } = await project.run();
  expect(code).toBe(4);
  expect(finished(events).map(({ taskId, outcome }) => `${taskId} ${outcome}`)).toEqual([
    "t-1 failed",
    "t-1 failed",
  ]);
  expect(events.at(-1)).toMatchObject({
    summary: expect.stringContaining(
      `two attempts in a row ended alike: verification itself was changed: ${weaker}`,
    ),
    hint: expect.stringContaining("RALPH_VERIFY_GUARD=report ralph run t-1"),
  });
});

test("LOOP-18: off reports nothing", async () => {
  const { of } = await attempts("off", { check: [weaken] });
  expect(of("check")).toMatchObject({ outcome: "done", warnings: [] });
});
