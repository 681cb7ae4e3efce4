import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice, ralphBin } from "./practice.ts";

// An agent that writes a task row together with the event that would explain it.

const fakes = join(import.meta.dirname, "../fakes");
const work = { "src/{id}.txt": "x" };
let project: Practice;
afterEach(() => project?.remove());

const done = "UPDATE tasks SET status = 'done' WHERE id = 't-3'";
const event = (seal: string): string =>
  `INSERT INTO outbox (timestamp, type, data, rows, seal) SELECT '2099-01-01T00:00:00.000Z', 'task.completed', '{"taskId":"t-3"}',
   '[{"table":"tasks","op":"put","row":{"id":"t-3","status":"done"}}]', ${seal}`;
const line = JSON.stringify({
  seq: 9999,
  timestamp: "2099-01-01T00:00:00.000Z",
  type: "task.completed",
  jobId: null,
  rows: [{ table: "tasks", op: "put", row: { id: "t-3", status: "done" } }],
});
const node = (script: string, ...sql: readonly string[]): readonly string[] => [
  process.execPath,
  join(fakes, script),
  ...sql,
];
/** Leaves a process behind that has the store open. */
const held = (...sql: readonly string[]): readonly string[] => [
  "sh",
  "-c",
  '"$@" > held.txt & until grep -q written held.txt; do sleep 0.05; done; rm held.txt',
  "sh",
  ...node("hold-store.mjs", ...sql),
];
const appended = (text: string): readonly string[] => [
  "sh",
  "-c",
  'printf "%s\\n" "$1" >> .ralph/events.jsonl',
  "sh",
  text,
];

const moves = {
  "a row and an event without a seal": [node("write-store.mjs", done, event("NULL"))],
  "a row and an event with an invented seal": [
    node("write-store.mjs", done, event("'aaaaaaaa.bbbbbbbbbbbbbbbbbbbbbb'")),
  ],
  "both through a connection that stays open": [held(done, event("NULL"))],
  "a row and a line of the log": [node("write-store.mjs", done), appended(line)],
  "a row, an event and a line with an invented chain value": [
    node("write-store.mjs", done, event("NULL")),
    appended(`${line.slice(0, -1)},"chain":"aaaaaaaa.bbbbbbbbbbbbbbbbbbbbbb"}`),
  ],
};

test("LOOP-18: an agent that replaces the project's key has no task done by it, and the key is put back", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  // A key that the agent knows, and commands that use it: the first is refused, the second recorded with that key.
  const swap = 'for f in "$XDG_STATE_HOME"/ralph/projects/*/key; do printf "%064d\\n" 0 > "$f"; done';
  const ralph = ["env", "-u", "RALPH_TASK_ID", process.execPath, ralphBin];
  const refused = '"$@" 2> src/refused.txt && exit 1 || exit 0';
  const run = [
    ["sh", "-c", swap],
    ["sh", "-c", refused, "sh", ...ralph, "task", "done", "t-2"],
    [...ralph, "task", "add", "task 3", "--id", "t-3"],
  ];
  await project.useWorker({ "*": [{ write: work, run }] }, 'verify: ["true"]\n');
  await project.addTasks(["task 1", "task 2"]);
  const { events } = await project.run("--once");
  expect(finished(events)[0]?.["warnings"]).toEqual(
    expect.arrayContaining([
      "put back the project's key: an agent may not change it",
      "put back task t-3: it was changed other than by ralph",
    ]),
  );
  expect(readFileSync(join(project.dir, "src/refused.txt"), "utf8")).toContain("cannot mark t-2 as done");
  expect(await taskNamed("t-2")).toMatchObject({ status: "pending" });
  expect(await taskNamed("t-3")).toBeUndefined();
  const checks = (await project.json("doctor")) as { check: string; status: string }[];
  expect(checks.find(({ check }) => check === "event log")).toMatchObject({ status: "ok" });
});

const taskNamed = async (id: string): Promise<unknown> =>
  ((await project.json("task", "list")) as { id: string }[]).find((task) => task.id === id);

const all = Object.keys(moves) as readonly (keyof typeof moves)[];
// Which move is the first of its run differs: for later ones ralph reads the rows through a connection that it kept.
const plans = [
  ["auto", all],
  ["off", ["both through a connection that stays open", "a row and an event without a seal"]],
] as const;

test.each(variants(plans, 1))(
  "LOOP-18: an agent has no task done that it forges (sandbox: %s) by %j",
  async (sandbox, planned) => {
    project = practice({ "src/base.txt": "ok\n" });
    const ids = planned.map((_, n) => `w-${n + 1}`);
    const steps = planned.map((move, n) => [ids[n], [{ write: work, run: moves[move] }]]);
    await project.useWorker(Object.fromEntries(steps), `verify: ["true"]\nsandbox: ${sandbox}\n`);
    await project.addTasks([...ids, "t-3"].map((id) => ({ id, title: `task ${id}` })));
    const { events } = await project.run("--max-iterations", `${ids.length}`);
    const ended = finished(events);
    expect(ended.map(({ taskId, outcome }) => [taskId, outcome])).toEqual(ids.map((id) => [id, "done"]));
    for (const { warnings } of ended) {
      expect(warnings).toContain("put back task t-3: it was changed other than by ralph");
      expect(warnings).toContainEqual(
        expect.stringMatching(
          /^(?:ignored \d+ events? that ralph did not record|repaired \.ralph\/events\.jsonl)/,
        ),
      );
    }
    expect(await taskNamed("t-3")).toMatchObject({ status: "pending" });
  },
);
