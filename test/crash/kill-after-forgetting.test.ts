import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startTimeOf } from "../../src/process/identity.ts";
import {
  duringIteration,
  finished,
  type Practice,
  practice,
  type RunEvent,
  waitForPerson,
} from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { killRalph, kills } from "./kill-ralph.ts";
import { marked } from "./kill-when.ts";

// An agent that changes what the store says about its own iteration, and then kills ralph. The default suite takes the first
// of each list; `npm run test:crash` takes all.

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");
const sql = (...statements: readonly string[]): readonly string[] => [
  process.execPath,
  writer,
  ...statements,
];
const shell = (script: string): readonly string[] => ["sh", "-c", script];
const kill = shell(`${killRalph}; sleep 20`);

let project: Practice;
afterEach(() => project?.remove());

/** Changes of what git runs and shows, none of which may survive. */
const plant = shell(`
  printf 'touch ../hooked' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
  git update-index --skip-worktree check.sh; echo 'exit 0' > check.sh
  git config core.fsmonitor "touch ../monitored"
`);

/** A project whose agent of `t-1` plants what git runs, does \`damage\` and kills ralph, the first time. */
async function killedAfter(damage: readonly (readonly string[])[]): Promise<void> {
  project = practice({ "check.sh": "! grep -rqs BROKEN src\n", "src/base.txt": "ok\n" });
  const work = { write: { "src/{id}.txt": "BROKEN\n" } };
  const again = { write: { "src/{id}.txt": "ok\n" } };
  await project.useWorker(
    {
      calls: join(project.dir, "../calls"),
      "t-1": [{ ...work, run: [plant, ...damage, kill] }, again],
      "*": [again],
    },
    'verify: ["sh check.sh"]\nsandbox: off\n',
  );
  await project.addTasks(["task 1", "task 2"]);
  expect((await project.start("run")).signal).toMatch(/^SIG(?:KILL|BUS)$/);
  await marked(project);
}

const warningsOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap(({ type, warnings }) => (type === "run.recovered" ? (warnings as string[]) : []));

const tree = "put back the record of the working tree: it was changed other than by ralph";
const run = "put back the row of the killed run: it was changed other than by ralph";
const iteration = "put back the row of its iteration: it was changed other than by ralph";
const empty = "UPDATE workspace_state SET task_id = NULL, baseline = '{\"finished\":[]}'";

const forgets: readonly (readonly [
  what: string,
  damage: readonly (readonly string[])[],
  warnings: string[],
])[] = [
  [
    "removes every trace of them",
    [sql("DELETE FROM workspace_state", "DELETE FROM iterations", "DELETE FROM claims", "DELETE FROM runs")],
    [tree, run, iteration],
  ],
  [
    "leaves out what it guards",
    [
      sql(
        `UPDATE workspace_state SET baseline = json_remove(baseline, '$.guard.entries', '$.guard.indexFlags')`,
      ),
    ],
    [tree],
  ],
  ["cuts the store's log", [shell(": > .ralph/progress.db-wal")], [tree, run, iteration]],
  ["removes the record of the tree", [sql("DELETE FROM workspace_state")], [tree]],
  ["empties it", [sql(empty)], [tree]],
  [
    "ends its iteration and run too",
    [sql(empty, "UPDATE iterations SET ended_at = started_at", "UPDATE runs SET ended_at = started_at")],
    [tree, run, iteration],
  ],
  ["removes the store's log", [shell("rm .ralph/progress.db-wal")], [tree, run, iteration]],
];

test.each(kills(forgets, 1))(
  "LOOP-18 LOOP-11: what git runs is put back after an agent %s and kills ralph",
  async (_, damage, names) => {
    await killedAfter(damage);
    const { events, code } = await project.run();
    const warnings = warningsOf(events);
    expect(warnings).toEqual(expect.arrayContaining(names));
    expect(warnings).toContainEqual(expect.stringMatching(/^put back \.git\/hooks\/pre-commit/));
    expect(warnings).toContainEqual(expect.stringMatching(/^put back \.git\/config/));
    expect(code).toBe(0);
    expect(["hooked", "monitored"].filter((name) => existsSync(join(project.dir, "..", name)))).toEqual([]);
    // Its broken work is not a person's.
    expect(finished(events).map(({ taskId, attempt, outcome }) => [taskId, attempt, outcome])).toEqual([
      ["t-1", 1, "done"],
      ["t-2", 1, "done"],
    ]);
    expect(readFileSync(join(project.dir, "src/t-1.txt"), "utf8")).toBe("ok\n");
    expect(project.git("ls-files", "-v", "check.sh")).toBe("H check.sh");
    expect(project.git("show", "HEAD:src/t-1.txt")).toBe("ok");
  },
);

/** Columns that name a living process: that of the test. */
const living = `pid = ${process.pid}, start_time = '${startTimeOf(process.pid)}'`;
const another = `INSERT INTO runs (id, started_at, agent, strategy, pid, start_time, boot_id, host)
  SELECT 'r-x', '2099', agent, strategy, ${process.pid}, '${startTimeOf(process.pid)}', boot_id, host FROM runs LIMIT 1`;
const ended = (id: string): unknown =>
  expect.stringMatching(
    new RegExp(`^ended run ${id} in the store, which named process ${process.pid}: ralph did not start it$`),
  );

const names: readonly (readonly [what: string, statements: readonly string[]])[] = [
  ["a run and its claim", [another, `UPDATE claims SET ${living}, token = 77`]],
  ["its own run", [`UPDATE runs SET ${living}`]],
  ["another run", [another]],
];

test.each(kills(names, 1))(
  "LOOP-18 LOOP-11: a process that an agent names as that of %s holds nothing after it killed ralph",
  async (_, statements) => {
    await killedAfter([sql(...statements)]);
    const { stderr } = await project.ralph("task", "list");
    expect(stderr).toMatch(/^warning: ended run /m);
    const { events, code } = await project.run();
    expect(code).toBe(0);
    expect(finished(events).map(({ taskId }) => taskId)).toEqual(["t-1", "t-2"]);
    expect((await project.run()).code).toBe(0);
  },
);

test("LOOP-18 LOOP-11: a run of another process that an agent plants is ended with its iteration", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  project = practice();
  await project.useWorker(
    { "t-1": [{ write: { "a.txt": "ok\n" }, run: [sql(another)] }], "*": [{ write: { "b.txt": "ok\n" } }] },
    'verify: ["true"]\nsandbox: off\n',
  );
  await project.addTasks(["task 1", "task 2"]);
  const { events } = await project.run("--once");
  expect(finished(events)).toMatchObject([{ outcome: "done", warnings: [ended("r-x")] }]);
  expect((await project.run()).code).toBe(0);
});

test("LOOP-11: a second run is refused while the first is at work, and not once it was killed", async () => {
  project = practice();
  await project.useWorker(
    { "t-1": [{ write: { "a.txt": "ok\n" }, run: [waitForPerson, kill] }, { write: { "a.txt": "1\n" } }] },
    'verify: ["true"]\nsandbox: off\n',
  );
  await project.addTasks(["task 1"]);
  const run = project.start("run");
  await duringIteration(project, async () => {
    const second = await project.ralph("run");
    expect(second.stderr).toContain("another run is active");
  });
  await run;
  project.setScript({ "*": [{ write: { "b.txt": "ok\n" } }] });
  expect((await project.run()).code).toBe(0);
});
