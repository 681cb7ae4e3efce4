import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  duringIteration,
  finished,
  type Practice,
  practice,
  type RunEvent,
  waitForPerson,
} from "../e2e/practice.ts";
import { sampleOutcome } from "../sample-outcome.ts";
import { onlyInLongForm } from "../test-size.ts";
import { killRalph, kills } from "./kill-ralph.ts";
import { marked } from "./kill-when.ts";

// An agent that writes into the store and then kills ralph, so that nobody compares the rows at the end of its iteration. Of
// some lists the default suite takes the first; `npm run test:crash` takes all.

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");
const sql = (...statements: readonly string[]): readonly string[] => [
  process.execPath,
  writer,
  ...statements,
];
const kill = ["sh", "-c", `${killRalph}; sleep 20`];

let project: Practice;
afterEach(() => project?.remove());

/** The rows that the agent of `t-1` plants, and how the next run names what it puts back. */
const planted = {
  "task t-3": "UPDATE tasks SET status = 'done' WHERE id = 't-3'",
  "attempt 1 of t-3":
    "INSERT INTO iteration_outcomes (task_id, attempt_number, model, started_at, duration_ms, outcome) VALUES ('t-3', 1, 'm', '', 1, 'done')",
  "task t-4": "DELETE FROM tasks WHERE id = 't-4'",
  "task p-1":
    "INSERT INTO tasks (id, title, verification, created_at, updated_at) VALUES ('p-1', 'planted', '[{\"run\":\"touch ../planted\"}]', '', '')",
  "task t-2": "UPDATE tasks SET attempts_before = 5 WHERE id = 't-2'",
  "attempt 1 of t-2": "DELETE FROM iteration_outcomes WHERE task_id = 't-2'",
  "a row of learnings": "UPDATE learnings SET proven_at = '2026-01-01T00:00:00.000Z'",
} as const;
const noTrace = [
  "DELETE FROM iterations",
  "DELETE FROM claims",
  "DELETE FROM workspace_state",
  "DELETE FROM runs",
];

const learning = '<learning category="pitfall">The exporter needs a second start.</learning>';
const work = (name: string): Record<string, unknown> => ({ write: { [`src/${name}.txt`]: "ok\n" } });

/** A project whose task `t-2` has failed once, and whose agent of `t-1` runs `steps` in its first session. */
async function projectWith(steps: readonly (readonly string[])[], config = "sandbox: off\n"): Promise<void> {
  project = practice({ "check.sh": "! grep -rqs BROKEN src\n", "src/base.txt": "ok\n" });
  await project.useWorker(
    {
      calls: join(project.dir, "../calls"),
      "t-1": [{ ...work("t-1"), run: steps }, work("t-1-again")],
      "t-2": [
        { write: { "src/t-2.txt": "BROKEN\n" }, say: `${learning}\n<task-done>t-2</task-done>` },
        work("t-2"),
      ],
      "*": [work("{id}")],
    },
    `verify: ["sh check.sh"]\n${config}`,
  );
  await project.addTasks(["task 1", "task 2", "task 3", "task 4", "task 5", "task 6"]);
  expect(finished((await project.run("t-2", "--once")).events)[0]).toMatchObject({ outcome: "failed" });
}

const killed = async (): Promise<void> => {
  expect((await project.start("run", "t-1")).signal).toMatch(/^SIG(?:KILL|BUS)$/);
  await marked(project);
};

const warningsOf = (events: readonly RunEvent[]): readonly string[] =>
  events
    .filter(({ type }) => type === "run.recovered")
    .flatMap((event) => event["warnings"] as readonly string[])
    .filter((warning) => warning.includes("other than by ralph"));
const putBack = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `put back ${name}: it was changed other than by ralph`).toSorted();

const plants: readonly (readonly [what: string, more: readonly string[], its: readonly string[]])[] = [
  [
    "plants rows and removes every trace of its iteration",
    noTrace,
    ["the record of the working tree", "the row of the killed run", "the row of its iteration"],
  ],
  ["plants rows", [], []],
];

test.each(kills(plants, 1))(
  "LOOP-18 LOOP-11: an agent that %s and kills ralph has no task done, added, removed or forgotten by it",
  async (_, more, its) => {
    await projectWith([sql("PRAGMA foreign_keys = OFF", ...more, ...Object.values(planted)), kill]);
    await killed();
    const { events, stderr } = await project.run();
    expect(stderr).toContain("warning: put back task t-3: it was changed other than by ralph");
    expect(warningsOf(events).toSorted()).toEqual(putBack(...Object.keys(planted), ...its));
    expect(finished(events).map(({ taskId, attempt, outcome }) => [taskId, attempt, outcome])).toEqual([
      ["t-1", 1, "done"],
      ["t-2", 2, "done"],
      ["t-3", 1, "done"],
      ["t-4", 1, "done"],
      ["t-5", 1, "done"],
      ["t-6", 1, "done"],
    ]);
    expect(await project.json("task", "list", "--all")).toHaveLength(6);
    expect(JSON.stringify(await project.json("memory", "list"))).not.toContain("2026-01-01T00:00:00.000Z");
    const checks = (await project.json("doctor")) as { check: string; status: string }[];
    expect(checks.find(({ check }) => check === "event log")).toMatchObject({ status: "ok" });
  },
);

test("LOOP-18: what a person typed during the killed iteration and after it is believed, beside what is put back", async () => {
  await projectWith([waitForPerson, sql(planted["task t-3"], planted["task p-1"]), kill]);
  const run = killed();
  await duringIteration(project, async () => {
    await project.ralph("task", "add", "added", "--id", "t-7");
    await project.ralph("task", "done", "t-5");
  });
  await run;
  const edit = await project.ralph("task", "edit", "t-4", "--title", "edited");
  for (const warning of putBack("task t-3", "task p-1")) expect(edit.stderr).toContain(`warning: ${warning}`);
  const done = await project.ralph("task", "done", "t-6");
  expect(done.stderr).not.toContain("put back");
  const { events } = await project.run("t-1");
  expect(warningsOf(events)).toEqual([]);
  expect(await project.json("task", "list", "--all")).toMatchObject([
    { id: "t-1", status: "done" },
    { id: "t-2", status: "pending" },
    { id: "t-3", status: "pending" },
    { id: "t-4", title: "edited", status: "pending" },
    { id: "t-5", status: "done" },
    { id: "t-6", status: "done" },
    { id: "t-7", title: "added", status: "pending" },
  ]);
});

test("LOOP-18: a person's later change of another field does not make a planted status true", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await projectWith([sql(planted["task t-3"]), kill]);
  await killed();
  await project.ralph("task", "edit", "t-3", "--title", "edited");
  await project.run("t-1");
  expect(await project.json("task", "list", "--all")).toMatchObject([
    {},
    {},
    { id: "t-3", title: "edited", status: "pending" },
    {},
    {},
    {},
  ]);
});

test("LOOP-18: rows in a store that an agent exchanges before it cuts its files under ralph are put back", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  const exchange = [
    "mkdir -p ../other/.ralph; cp .ralph/progress.db* ../other/.ralph",
    `cd ../other; "$@"`,
    "cat .ralph/progress.db > ../project/.ralph/progress.db",
    "cd ../project; : > .ralph/progress.db-wal; : > .ralph/progress.db-shm; sleep 20",
  ].join("; ");
  const folded = sql(planted["task t-3"], "PRAGMA wal_checkpoint(TRUNCATE)");
  await projectWith([["sh", "-c", exchange, "sh", ...folded]], "");
  expect((await project.start("run", "t-1")).signal).toBe("SIGBUS");
  const { events } = await project.run("t-3");
  expect(warningsOf(events)).toEqual(expect.arrayContaining([...putBack("task t-3")]));
  expect(finished(events)).toMatchObject([{ taskId: "t-3", outcome: "done" }]);
});

const logDamages: readonly (readonly [what: string, damage: string, warning: RegExp])[] = [
  ["appends a line to it", "echo '{}' >> .ralph/events.jsonl", /^put back task t-3/],
  [
    "removes a line of it",
    "sed -i 20d .ralph/events.jsonl",
    /^rows of the store .* stay as they are: .* \(event 22 follows event 19\)$/,
  ],
  [
    "cuts its end",
    "truncate -s -2000 .ralph/events.jsonl",
    /^rows of the store .* stay as they are: .* \(its end is missing\)$/,
  ],
  ["removes it", "rm .ralph/events.jsonl", /^rows of the store .* stay as they are/],
];

test.each(kills(logDamages, 1))(
  "LOOP-18: without a copy of the log, rows are put back while it shows them, and else a warning says so: an agent %s",
  async (_, damage, warning) => {
    await projectWith([sql(planted["task t-3"]), ["sh", "-c", damage], kill]);
    await killed();
    const state = join(project.home, "state/ralph/projects");
    for (const name of readdirSync(state)) rmSync(join(state, name, "events.jsonl"));
    const { events } = await project.run("t-1");
    const recovered = events.find(({ type }) => type === "run.recovered");
    expect(recovered?.["warnings"]).toContainEqual(expect.stringMatching(warning));
  },
);

test("LOOP-18 LOOP-21: an agent has no task done by a verdict that it writes beside a pending commit", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const outcome = sampleOutcome({ name: "done", verification: "passed" });
  const verdict = {
    outcome,
    number: 1,
    task: { id: "t-1", title: "task 1" },
    claim: { taskId: "t-1", token: 0 },
    maySplit: false,
    permissionHint: null,
  };
  const story = { title: "task 1", files: [], summary: "", durationMs: 1 };
  const owed = { paths: ["src/t-1.txt"], finished: ["t-1"], wanted: true, hooks: true, story, verdict };
  const forge = sql(
    `INSERT INTO pending_commits (iteration_id, task_id, base, paths, message, created_at)
     SELECT id, task_id, head_before, json_set('${JSON.stringify(owed).replaceAll("'", "''")}', '$.verdict.outcome.runId', run_id,
       '$.verdict.outcome.iterationId', id, '$.verdict.claim.token', token), 'forged', started_at FROM iterations WHERE ended_at IS NULL`,
    "UPDATE iterations SET ended_at = started_at, end_kind = 'outcome'",
  );
  await project.useWorker(
    { "*": [{ ...work("{id}"), run: [forge, kill] }] },
    'verify: ["false"]\nsandbox: off\n',
  );
  await project.addTasks(["task 1", "task 2"]);
  await killed();
  project.setScript({ "*": [work("{id}")] });
  const { events } = await project.run("t-2", "--max-attempts", "1");
  expect(events.find(({ type }) => type === "run.recovered")).toMatchObject({
    warnings: [
      ...putBack("the row of its iteration"),
      "removed a verdict on t-1 from the store: ralph did not record it",
    ],
  });
  expect(await project.json("task", "list", "--all")).toMatchObject([
    { status: "pending" },
    { status: "blocked" },
  ]);
  expect(project.commits()[0]).toBe("configure ralph");
});

test("TRUST-10 LOOP-21 LOOP-22: an earlier verdict that the agent writes again before it kills ralph is not believed", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  // The hook refuses the first attempt, whose verdict its code keeps, with ralph's seal.
  const kept = "ATTACH '../kept.db' AS kept";
  const copy = `${kept}; CREATE TABLE IF NOT EXISTS kept.old AS SELECT * FROM pending_commits`;
  const replay = [
    sql(`${kept}; DELETE FROM pending_commits; INSERT INTO pending_commits SELECT * FROM kept.old`),
    ["touch", "../accepts"],
    kill,
  ];
  await projectWith([], "sandbox: off\nlimits: { maxAttempts: 3 }\n");
  const keep = sql(copy).map((word) => `"${word}"`);
  project.write(
    ".git/hooks/pre-commit",
    `#!/bin/sh\n[ -e ../accepts ] && exit 0\n${keep.join(" ")}\nexit 1\n`,
  );
  chmodSync(join(project.dir, ".git/hooks/pre-commit"), 0o755);
  project.setScript({
    calls: join(project.dir, "../calls-again"),
    "t-1": [work("t-1"), { write: { "src/t-1.txt": "BROKEN\n" }, run: replay }, work("t-1")],
  });
  expect((await project.start("run", "t-1")).signal).toBe("SIGKILL");
  const { code, events } = await project.run("t-1");
  expect(code).toBe(0);
  expect(JSON.stringify(events)).toContain("removed a verdict on t-1 from the store");
  expect(project.git("log", "--format=%s", "-SBROKEN", "--", "src")).toBe("");
});
