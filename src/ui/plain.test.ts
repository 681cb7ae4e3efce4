import { expect, test } from "vitest";
import type { RalphEvent } from "../events/event.ts";
import { createPlainRenderer } from "./plain.ts";

const style = { colour: false, columns: 80, quiet: false, verbose: false, hints: true, root: "/p" };

function shown(type: string, fields: object): readonly string[] {
  return createPlainRenderer(style)({ type, ...fields } as unknown as RalphEvent);
}

function started(verification: readonly string[]): readonly string[] {
  const tasks = { done: 0, failed: 0, blocked: 0, pending: 1 };
  const agent = { agent: "claude", model: null, strategy: "fixed", permission: "edit", branch: "main" };
  const run = {
    runId: "run-1",
    isolation: "read-only view of ralph's files (bubblewrap)",
    tasks,
    warnings: [],
    verification,
  };
  return shown("run.started", { ...run, ...agent }).slice(2);
}

test("UX-2 LOOP-5: the header of a run has each verification command on a line of its own", () => {
  expect(started(["npm test"])).toEqual([
    "  verification: npm test · sandbox: read-only view of ralph's files (bubblewrap)",
  ]);
  const packages = ["cd api && npm test", "cd web && npm test"];
  expect(started(packages)).toEqual([
    "  verification: 2 commands · sandbox: read-only view of ralph's files (bubblewrap)",
    ...packages.map((command) => `    ${command}`),
  ]);
  const many = Array.from({ length: 12 }, (_, at) => `cd p${at} && npm test`);
  expect(started(many).at(-1)).toBe("    … and 2 more");
  const [, line] = shown("baseline.started", { commands: packages, again: false });
  expect(line).toBe("verifying before the first attempt: 2 commands");
});

test("LOOP-23: steps stay, the title of a task is shown once, and the size of the difference stands after the verdict", () => {
  const render = createPlainRenderer(style);
  const show = (type: string, fields: object): readonly string[] =>
    render({ type, ...fields } as unknown as RalphEvent);
  const title = "Read dates with a zone";
  const begun = { taskId: "t-1", title, attempt: 1, maxAttempts: 3, model: "m", rationale: "r", memory: {} };
  const end = { ...{ taskId: "t-1", verification: "passed", reason: "done", costUsd: null }, unblocked: [] };
  const lists = { warnings: ["twice"], permissionDenials: [], splitInto: [], splitRefused: null, hint: null };
  const diff = { files: 2, added: 14, removed: 3 };
  const done = { ...end, ...lists, outcome: "done", taskStatus: "done", durationMs: 1000, diff };
  const failed = { ...done, outcome: "failed", taskStatus: "pending", errorHeadline: "", diff: null };
  const lines = [
    ...show("iteration.started", begun),
    ...show("agent.activity", { kind: "tool", text: `Edit /p/src/${"a".repeat(100)}.ts` }),
    ...show("iteration.finished", failed),
    ...show("iteration.started", { ...begun, attempt: 2 }),
    ...show("iteration.finished", done),
    ...show("commit.created", {
      taskId: "t-1",
      hash: "a".repeat(40),
      subject: title,
      own: [{ hash: "b".repeat(40), subject: "wip" }],
    }),
    ...show("iteration.started", { ...begun, taskId: "t-2", title: "Write dates" }),
  ];
  expect(lines.filter((line) => line !== "")).toEqual([
    ...["▶ t-1 Read dates with a zone", "  attempt 1 of 3 · m (r)"],
    `  · Edit src/${"a".repeat(80 - 4 - "Edit src/".length - 1)}…`,
    ...["  ✗ failed: done 1.0 s", "  ! twice", "▶ t-1", "  attempt 2 of 3 · m (r)"],
    ...["  ✓ done 1.0 s · 2 files, +14 -3", "  ● committed bbbbbbbbb wip", "  ● committed aaaaaaaaa"],
    ...["▶ t-2 Write dates", "  attempt 1 of 3 · m (r)"],
  ]);
});

test("FLEET-2: the lines of workers begin with their task's id", () => {
  const render = createPlainRenderer(style);
  const show = (type: string, fields: object): readonly string[] =>
    render({ type, ...fields } as unknown as RalphEvent);
  const tasks = { done: 0, failed: 0, blocked: 0, pending: 2 };
  const run = { runId: "run-1", agent: "claude", model: null, strategy: "fixed", permission: "edit" };
  const place = { isolation: "off", verification: [], warnings: [], branch: "ralph/run-1", workers: 2 };
  expect(show("run.started", { ...run, ...place, tasks })[1]).toContain(
    "2 workers, whose work lands on ralph/run-1",
  );
  const work = { attempt: 1, maxAttempts: 3, model: "m", rationale: "fixed", memory: {} };
  const first = show("iteration.started", { ...work, iteration: 1, taskId: "t-1", title: "One" });
  expect(first).toEqual(["", "▶ t-1 One", "t-1   attempt 1 of 3 · m (fixed)"]);
  show("iteration.started", { ...work, iteration: 2, taskId: "t-2", title: "Two" });
  expect(show("agent.activity", { iteration: 1, text: "Edit a" })).toEqual(["t-1   · Edit a"]);
  expect(show("agent.activity", { iteration: 2, text: "Edit b" })).toEqual(["t-2   · Edit b"]);
});

test("UX-2 FLEET-2: salvaged work is said to hold a person's edits only where the person works in the same tree", () => {
  const saved = { taskId: "t-1", ref: "refs/ralph/salvage/t-1-1", files: 1, paths: ["a.ts"] };
  const shownWith = (workers: number | null): string => {
    const render = createPlainRenderer(style);
    const tasks = { done: 0, failed: 0, blocked: 0, pending: 1 };
    const run = {
      ...{ runId: "run-1", agent: "claude", model: null, strategy: "fixed", tiers: [], permission: "edit" },
    };
    const event = {
      ...run,
      type: "run.started",
      isolation: "none",
      verification: [],
      tasks,
      warnings: [],
      workers,
    };
    render(event as unknown as RalphEvent);
    return render({ type: "salvage.saved", ...saved } as unknown as RalphEvent).join("\n");
  };
  expect(shownWith(null)).toContain(
    "with any edits that you made in them meanwhile; to get one back: git restore",
  );
  expect(shownWith(1)).not.toContain("edits that you made");
  expect(shownWith(1)).toContain(
    "    to get one back: git restore --source=refs/ralph/salvage/t-1-1 -- FILE",
  );
});
