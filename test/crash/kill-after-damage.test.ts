import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { duringIteration, finished, type Practice, practice, waitForPerson } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { killRalph, kills } from "./kill-ralph.ts";
import { marked } from "./kill-when.ts";

// An agent that plants rows, damages the event log or the store so that nothing shows what they were, and kills ralph. The
// default suite takes the first of each list; `npm run test:crash` takes all.

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");
const sql = (...statements: readonly string[]): readonly string[] => [
  process.execPath,
  writer,
  "PRAGMA foreign_keys = OFF",
  ...statements,
];
const shell = (script: string): readonly string[] => ["sh", "-c", script];
const kill = shell(`${killRalph}; sleep 20`);
const plant = sql(
  "UPDATE tasks SET status = 'done' WHERE id = 't-3'",
  "INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('p-1', 'planted', '', '')",
  "DELETE FROM tasks WHERE id = 't-4'",
);

let project: Practice;
afterEach(() => project?.remove());

/** A project whose task `t-2` is done, and whose agent of `t-1` runs `steps` in its first session. */
async function killedAfter(
  steps: readonly (readonly string[])[],
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  project = practice({ "src/base.txt": "ok\n" });
  const work = { write: { "src/{id}.txt": "ok\n" } };
  await project.useWorker(
    { calls: join(project.dir, "../calls"), "t-1": [{ ...work, run: steps }, work], "*": [work] },
    'verify: ["true"]\nsandbox: off\n',
  );
  await project.addTasks(["task 1", "task 2", "task 3", "task 4"]);
  expect((await project.run("t-2")).code).toBe(0);
  const run = project.start("run", "t-1");
  await meanwhile();
  expect((await run).signal).toMatch(/^SIG(?:KILL|BUS)$/);
  await marked(project);
}

async function doctorSays(check: string): Promise<unknown> {
  const checks = (await project.json("doctor")) as { check: string; status: string }[];
  return checks.find((one) => one.check === check)?.status;
}

/** The next run does the tasks that are left, each once. */
async function expectRestDone(): Promise<void> {
  const { events, code } = await project.run();
  expect(code).toBe(0);
  expect(finished(events).map(({ taskId, outcome }) => [taskId, outcome])).toEqual([
    ["t-1", "done"],
    ["t-3", "done"],
    ["t-4", "done"],
  ]);
}

const asBefore = [
  { id: "t-1", status: "in_progress" },
  { id: "t-2", status: "done" },
  { id: "t-3", status: "pending" },
  { id: "t-4", status: "pending" },
];

const log = ".ralph/events.jsonl";
const restoredLog = /restored \.ralph\/events\.jsonl/;
const cutBefore = `n=$(grep -n '"iteration.started"' ${log} | tail -1 | cut -d: -f1); sed -i "$((n - 4)),\\$d" ${log}`;

const logDamages: readonly (readonly [name: string, damage: string])[] = [
  ["cuts the log back to before its iteration", cutBefore],
  ["makes the log a pipe", `rm ${log}; mkfifo ${log}`],
  ["changes a line of the log", `sed -i '3s/pending/done/' ${log}`],
  ["links the log to nothing", `rm ${log}; ln -s nothing ${log}`],
  ["empties the log", `: > ${log}`],
  [
    "links away ralph's folders for what it puts aside",
    `mv ${log} ../log; mkfifo ${log}; rm -rf .ralph/put-aside .ralph/tmp; ln -s .. .ralph/put-aside`,
  ],
  ["links the log elsewhere", `mv ${log} ../log; ln -s "$PWD/../log" ${log}`],
  ["makes the log a folder", `rm ${log}; mkdir ${log}; touch ${log}/x`],
  ["removes the log", `rm ${log}`],
  ["writes another log", `echo '{}' > ${log}`],
  ["cuts the log's end", `truncate -s -2000 ${log}`],
  ["cuts the log back to the first tasks", `sed -i '4,$d' ${log}`],
  ["removes a line of the log", `sed -i 12d ${log}`],
];

test.each(kills(logDamages, 1))(
  "LOOP-18: rows are put back after an agent plants some, %s and kills ralph",
  async (_, damage) => {
    await killedAfter([plant, shell(damage), kill]);
    const list = await project.ralph("task", "list", "--all", "--json");
    expect(list.stderr).toMatch(restoredLog);
    expect(list.stderr).toContain("put back task t-3: it was changed other than by ralph");
    expect(JSON.parse(list.stdout)).toMatchObject(asBefore);
    await expectRestDone();
    expect(await doctorSays("event log")).toBe("ok");
  },
);

test("LOOP-18: what a person typed before the log was cut, and after the kill, is kept", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await killedAfter([waitForPerson, plant, shell(cutBefore), kill], () =>
    duringIteration(project, async () => {
      await project.ralph("task", "add", "added", "--id", "t-7");
      await project.ralph("task", "edit", "t-1", "--title", "renamed");
    }),
  );
  await project.ralph("task", "add", "late", "--id", "t-8");
  expect(await project.json("task", "list", "--all")).toMatchObject([
    { id: "t-1", title: "renamed", status: "in_progress" },
    ...asBefore.slice(1),
    { id: "t-7", title: "added" },
    { id: "t-8", title: "late" },
  ]);
  expect((await project.run()).code).toBe(0);
  expect(await doctorSays("event log")).toBe("ok");
});

test("LOOP-18: what is typed after the log was cut and before the kill is kept, and makes nothing planted true", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await killedAfter([plant, shell(cutBefore), waitForPerson, kill], () =>
    duringIteration(project, () => project.ralph("task", "add", "added", "--id", "t-7")),
  );
  expect(await project.json("task", "list", "--all")).toMatchObject([
    ...asBefore,
    { id: "t-7", title: "added" },
  ]);
  expect((await project.run()).code).toBe(0);
  expect(await doctorSays("event log")).toBe("ok");
});

const store = ".ralph/progress.db";
/** An expression that takes hours for the rows which `condition` is true of. */
const hoursWhen = (condition: string): string =>
  `CASE WHEN ${condition} THEN printf('%.*c', 40000, 'a') GLOB '*a*a*a*a*a*a*b' ELSE 0 END`;

const storeDamages: readonly (readonly [name: string, damage: readonly string[]])[] = [
  ["drops the table of tasks", sql("DROP TABLE tasks")],
  ["writes a number that nobody can read", sql("UPDATE tasks SET priority = 9007199254740993")],
  ["removes the store and the log", shell(`rm ${store}* ${log}`)],
  ["links the store elsewhere", shell(`mv ${store} ../store; ln -s "$PWD/../store" ${store}`)],
  [
    "puts a view in a table's place",
    sql("ALTER TABLE tasks RENAME TO t2", "CREATE VIEW tasks AS SELECT * FROM t2"),
  ],
  ["adds a column that takes hours", sql(`ALTER TABLE runs ADD COLUMN slow AS (${hoursWhen("id = ''")})`)],
  [
    "floods the outbox",
    sql(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) INSERT INTO outbox (timestamp, type, data, rows) SELECT '2026', 'x', '{}', '[]' FROM n",
    ),
  ],
  ["raises the store's version", sql("PRAGMA user_version = 999")],
  ["empties the store", shell(`rm ${store}-*; : > ${store}`)],
  ["makes the store a pipe", shell(`rm ${store}*; mkfifo ${store}`)],
  ["drops the table of events", sql("DROP TABLE outbox")],
  ["drops the tables of runs", sql("DROP TABLE iterations", "DROP TABLE claims", "DROP TABLE runs")],
  ["drops the state of the tree", sql("DROP TABLE workspace_state")],
  ["drops a table of memory", sql("DROP TABLE learnings")],
  [
    "makes an index that takes hours",
    sql(`CREATE INDEX slow ON tasks((${hoursWhen("id = 't-1' AND status = 'done'")}))`),
  ],
  [
    "makes a table again with a check that takes hours",
    sql(
      "DROP TABLE outbox",
      `CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT, type TEXT, run_id TEXT, data TEXT, rows TEXT, seal TEXT, CHECK (${hoursWhen("type = 'run.recovered'")} OR 1))`,
    ),
  ],
  ["removes the store and cuts the log", shell(`rm ${store}*; ${cutBefore}`)],
  ["removes the store and a line of the log", shell(`rm ${store}*; sed -i 12d ${log}`)],
  ["removes the store", shell(`rm ${store}*`)],
  ["fills the store with garbage", shell(`rm ${store}-*; head -c 40000 /dev/urandom > ${store}`)],
  ["makes the store a folder", shell(`rm ${store}*; mkdir ${store}`)],
  ["makes the store's log a folder", shell(`rm ${store}-*; mkdir ${store}-wal`)],
];

test.each(kills(storeDamages, 1))(
  "LOOP-18: the store is rebuilt after an agent plants rows, %s and kills ralph",
  async (_, damage) => {
    await killedAfter([plant, damage, kill]);
    const list = await project.ralph("task", "list", "--all", "--json");
    expect(list.stderr).toMatch(/rebuilt \.ralph\/progress\.db from the event log/);
    expect(list.code).toBe(0);
    expect(JSON.parse(list.stdout)).toMatchObject(asBefore);
    await expectRestDone();
    expect(await doctorSays("store")).toBe("ok");
  },
);
