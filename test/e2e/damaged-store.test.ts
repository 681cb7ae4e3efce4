import { afterEach, expect, test } from "vitest";
import { onlyInLongForm, variants } from "../test-size.ts";
import { finished, type Practice, practice, type RunEvent, ralphStart } from "./practice.ts";

// An agent that destroys ralph's store or its event log in place, where nothing holds the old content open.

let project: Practice;
afterEach(() => project?.remove());

const size = (file: string): string => `$(stat -c %s .ralph/${file})`;
const zero = (file: string): string =>
  `head -c ${size(file)} /dev/zero > z; dd if=z of=.ralph/${file} conv=notrunc 2>/dev/null; rm z`;
const store = "rebuilt .ralph/progress.db from the event log: the agent damaged it";
const log = "repaired .ralph/events.jsonl from the store: the agent damaged it";
const back = "put back .ralph/events.jsonl: an agent may not change it";

/** What an agent does to the store or the log, in the words of a title, and what is reported of it. */
type Damage = readonly [what: string, command: string, reported: string];

/** The events in the log. */
const logLines = (): readonly RunEvent[] =>
  project
    .read(".ralph/events.jsonl")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RunEvent);

const damages: Readonly<Record<string, readonly Damage[]>> = {
  "damages the store": [
    ["zeroes it", zero("progress.db"), store],
    ["empties it", ": > .ralph/progress.db", store],
    ["cuts it in half", `truncate -s $(( ${size("progress.db")} / 2 )) .ralph/progress.db`, store],
    ["zeroes it and its write-ahead log", `${zero("progress.db")}; ${zero("progress.db-wal")}`, store],
  ],
  "damages the log": [
    ["empties it", ": > .ralph/events.jsonl", log],
    ["cuts it", "truncate -s -700 .ralph/events.jsonl", log],
    ["zeroes it", zero("events.jsonl"), log],
    ["adds a line", `echo '{"seq":99,"timestamp":"","type":"a.b"}' >> .ralph/events.jsonl`, log],
  ],
  "replaces the log": [
    ["by a link", "ln -sf /etc/passwd .ralph/events.jsonl", back],
    ["by a folder", "rm .ralph/events.jsonl; mkdir .ralph/events.jsonl", back],
    ["by another file", "echo x > x; mv x .ralph/events.jsonl; sleep 0.2", back],
    ["by nothing", "rm .ralph/events.jsonl; sleep 0.2", back],
  ],
};

test.each(variants(Object.entries(damages), 1))(
  "LOOP-18: when one agent after the other %s, each time it is restored and reported, and the work is recorded",
  async (what, each) => {
    project = practice({ "src/base.txt": "ok\n" });
    const work = {
      write: { "src/{id}.txt": "x" },
      say: '<learning category="pitfall">The quartz resonator of the exporter needs a second start before {id}.</learning>\n<task-done>{id}</task-done>',
    };
    const tasks = ["work before", ...each.map(([what]) => what), "work after"];
    // The first task and the last one damage nothing.
    const steps = each.map(([, command], at) => [`t-${at + 2}`, [{ ...work, run: [["sh", "-c", command]] }]]);
    await project.useWorker(
      { ...Object.fromEntries(steps), "*": [work] },
      'sandbox: "off"\nverify: ["true"]\n',
    );
    await project.addTasks(tasks);
    const { code, events, stderr } = await project.run();
    expect(stderr).not.toContain("RALPH_");
    expect(code).toBe(0);
    expect(finished(events).map(({ taskId, outcome }) => [taskId, outcome])).toEqual(
      tasks.map((_title, at) => [`t-${at + 1}`, "done"]),
    );
    const reported = finished(events).map(({ warnings }) => warnings);
    const expected = each.map(([, , text]) => expect.arrayContaining([expect.stringContaining(text)]));
    expect(reported).toEqual([[], ...expected, []]);
    expect(await project.json("task", "list")).toMatchObject(
      tasks.map((title, at) => ({ id: `t-${at + 1}`, title, status: "done" })),
    );
    expect(await project.json("memory", "list")).toHaveLength(tasks.length);
    if (what.startsWith("replaces")) {
      const logged = new Set(logLines().map(({ seq }) => seq));
      expect(events.filter(({ seq }) => seq !== undefined && !logged.has(seq))).toEqual([]);
    }
    const checks = (await project.json("doctor")) as { check: string; status: string; detail: string }[];
    expect(checks.filter(({ check }) => check === "store" || check === "event log")).toMatchObject([
      { status: "ok" },
      { status: "ok" },
    ]);
  },
);

test("LOOP-18: a store that one agent empties is rebuilt, also where an earlier one used ralph's commands", async (context) => {
  onlyInLongForm(context);
  project = practice({ "src/base.txt": "ok\n" });
  const work = { write: { "src/{id}.txt": "x" } };
  const note = {
    ...work,
    run: [[process.execPath, ...ralphStart, "note", "add", "The exporter starts twice."]],
  };
  const damage = { ...work, run: [["sh", "-c", ": > .ralph/progress.db"]] };
  await project.useWorker({ "t-1": [note], "t-2": [damage] }, 'sandbox: "off"\nverify: ["true"]\n');
  await project.addTasks(["one", "two"]);
  const { code, events } = await project.run();
  expect(code).toBe(0);
  expect(finished(events)).toMatchObject([
    {},
    { outcome: "done", warnings: [expect.stringContaining(store)] },
  ]);
});

test("LOOP-22: a commit of an earlier run can be undone after the store was rebuilt", async () => {
  project = practice({ "src/base.txt": "ok\n" });
  const work = { write: { "src/{id}.txt": "x" } };
  const damage = { ...work, run: [["sh", "-c", ": > .ralph/progress.db"]] };
  await project.useWorker({ "t-2": [damage], "*": [work] }, 'sandbox: "off"\nverify: ["true"]\n');
  await project.addTasks(["one", "two"]);
  await project.run("--once");
  const { events } = await project.run();
  expect(finished(events)[0]?.["warnings"]).toEqual([expect.stringContaining(store)]);
  expect(await project.ralph("undo", "t-1")).toMatchObject({ code: 0 });
});
