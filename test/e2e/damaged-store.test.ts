import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

// An agent that destroys ralph's store or its event log in place, where nothing holds the old content open.

let project: Practice;
afterEach(() => project?.remove());

const size = (file: string): string => `$(stat -c %s .ralph/${file})`;
const zero = (file: string): string =>
  `head -c ${size(file)} /dev/zero > z; dd if=z of=.ralph/${file} conv=notrunc 2>/dev/null; rm z`;
const store = "rebuilt .ralph/progress.db from the event log: the agent damaged it";
const log = "repaired .ralph/events.jsonl from the store: the agent damaged it";
const back = "put back .ralph/events.jsonl: an agent may not change it";

test.each([
  ["zeroes the store", zero("progress.db"), store],
  ["empties the store", ": > .ralph/progress.db", store],
  ["cuts the store in half", `truncate -s $(( ${size("progress.db")} / 2 )) .ralph/progress.db`, store],
  ["zeroes the store and its write-ahead log", `${zero("progress.db")}; ${zero("progress.db-wal")}`, store],
  ["empties the log", ": > .ralph/events.jsonl", log],
  ["cuts the log", "truncate -s -700 .ralph/events.jsonl", log],
  ["zeroes the log", zero("events.jsonl"), log],
  ["adds a line to the log", `echo '{"seq":99,"timestamp":"","type":"a.b"}' >> .ralph/events.jsonl`, log],
  ["replaces the log by a link", "ln -sf /etc/passwd .ralph/events.jsonl", back],
  ["replaces the log by a folder", "rm .ralph/events.jsonl; mkdir .ralph/events.jsonl", back],
  ["replaces the log by another file", "echo x > x; mv x .ralph/events.jsonl", back],
  ["removes the log", "rm .ralph/events.jsonl", back],
])(
  "LOOP-18: when an agent %s, it is restored and reported, and the work is recorded",
  async (_, command, told) => {
    project = practice({ "src/base.txt": "ok\n" });
    const work = {
      write: { "src/{id}.txt": "x" },
      say: '<learning category="pitfall">The quartz resonator of the exporter needs a second start before {id}.</learning>\n<task-done>{id}</task-done>',
    };
    const step = { ...work, run: [["sh", "-c", command]] };
    await project.useWorker({ "t-2": [step], "*": [work] }, 'verify: ["true"]\n');
    await project.addTasks(["task 1", "task 2", "task 3"]);
    const { code, events, stderr } = await project.run();
    expect(stderr).not.toContain("RALPH_");
    expect(code).toBe(0);
    expect(finished(events).map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
    expect(finished(events)[1]?.["warnings"]).toContainEqual(expect.stringContaining(told));
    expect(finished(events)[2]?.["warnings"]).toEqual([]);
    expect(await project.json("task", "list")).toMatchObject(
      [1, 2, 3].map((n) => ({ id: `t-${n}`, status: "done" })),
    );
    expect(await project.json("memory", "list")).toHaveLength(3);
    const checks = (await project.json("doctor")) as { check: string; status: string; detail: string }[];
    expect(checks.filter(({ check }) => check === "store" || check === "event log")).toMatchObject([
      { status: "ok" },
      { status: "ok" },
    ]);
  },
);
