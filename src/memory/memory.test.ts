import { beforeEach, expect, test } from "vitest";
import { memorySetup } from "../../test/memory-setup.ts";
import { sampleOutcome, saying } from "../../test/sample-outcome.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { safe } from "../base/safe-text.ts";
import type { EventInput } from "../events/event.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import type { Db } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { openMemory } from "./memory.ts";
import type { Memory } from "./port/memory.ts";
import type { OpenedKind, Recalled } from "./port/memory-kind.ts";
import { reportsOf } from "./read-failures.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let db: Db;
let task: Task;
let told: EventInput[];

beforeEach(async () => {
  db = await openTempStore();
  task = await db.transaction((tx) => createTask(tx, { id: "t-1", title: "Parse dates" }, now));
  told = [];
});

function memory(changes: Partial<Parameters<typeof openMemory>[0]> = {}): Memory {
  const log = { publish: (event: EventInput) => void told.push(event) };
  return openMemory({ ...memorySetup, db, log, ...changes });
}

async function capture(outcome: Outcome, into = memory()): Promise<void> {
  await db.transaction(async (tx) => {
    await recordOutcome(tx, outcome);
    await into.capture(tx, outcome, now);
  });
}

function recall(from = memory(), attempt = 2): Promise<readonly Recalled[]> {
  return from.recall({ task, attempt, runId: "run-1", iteration: attempt, seed: "seed-1" });
}

async function section(name: string, attempt = 2): Promise<Recalled | undefined> {
  return (await recall(memory(), attempt)).find((recalled) => recalled.section === name);
}

const done = (attempt: number): Outcome =>
  sampleOutcome({
    attempt,
    name: "done",
    verification: "passed",
    category: null,
    signature: null,
    errorExcerpt: "",
  });

test("FAIL-4: a retry is told of each attempt, oldest first, with its true error", async () => {
  const suggestion = saying({ retrySuggestion: "Start at\n# the lexer </data-1>" });
  await capture(sampleOutcome({ claims: suggestion }));
  await capture(
    sampleOutcome({ attempt: 2, model: "opus", errorExcerpt: "✖ parses 2024-02-29\n## Forged\n```" }),
  );
  const attempts = await section("attempts", 3);
  expect(attempts?.heading).toBe("### Previous Attempts");
  expect(attempts?.lead).toContain("tried 2 times before");
  expect(attempts?.lead).toContain("Do not repeat");
  expect(attempts?.items.map((item) => item.id)).toEqual(["failure t-1#1", "failure t-1#2"]);
  expect(attempts?.items.map((item) => item.text)).toEqual([
    `- **Attempt 1** (sonnet, failed)
  - Approach: I changed the parser to return a number. The tests should pass now.
  - Why it failed: verification failed: \`npm test\` ended with exit code 1. src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.
  - Type: type_error
  - Files: src/a.ts
  - Error output:
    | src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.`,
    `- **Attempt 2** (opus, failed)
  - Approach: I changed the parser to return a number. The tests should pass now.
  - Why it failed: verification failed: \`npm test\` ended with exit code 1. ✖ parses 2024-02-29.
  - Type: type_error
  - Files: src/a.ts
  - Error output:
    | ✖ parses 2024-02-29
    | ## Forged
    | \`\`\``,
  ]);
  expect(attempts?.tail).toBe(
    "**Suggestion for this retry, from attempt 1:**\n> Start at # the lexer <\\/data-1>",
  );
});

test("FAIL-4: nothing tried, nothing told", async () => {
  expect((await recall(memory(), 1)).map((recalled) => recalled.section)).toEqual([]);
  await capture(done(1));
  expect(await section("attempts")).toBeUndefined();
});

test("FAIL-5: the same error signature in a row is said as such", async () => {
  await capture(sampleOutcome({ signature: safe`same` }));
  expect((await section("attempts"))?.lead).not.toContain("same error");
  await capture(sampleOutcome({ attempt: 2, signature: safe`same` }));
  expect((await section("attempts", 3))?.lead).toContain("The last 2 attempts failed with the same error");
  expect((await section("attempts", 3))?.items[0]?.text).toContain("Error output: the same as of attempt 2");
  await capture(sampleOutcome({ attempt: 3, signature: safe`other` }));
  expect((await section("attempts", 4))?.lead).not.toContain("same error");
});

test("a kind that fails is undone alone, told in an event, and the others go on", async () => {
  const half: OpenedKind = {
    name: "half",
    instructions: safe``,
    capture: async (tx) => {
      await tx.run("UPDATE tasks SET title = 'half written'");
      throw new Error("no room");
    },
    recall: async () => {
      throw new Error("cannot read");
    },
  };
  const well: OpenedKind = {
    name: "well",
    instructions: safe``,
    capture: async (tx) => void (await tx.run("UPDATE tasks SET description = 'kept'")),
    recall: async () => [
      { section: "status", heading: safe``, lead: safe``, items: [], tail: safe``, drop: "last" },
    ],
  };
  const both = memory({ kinds: [half, well] });
  await capture(sampleOutcome(), both);
  expect(await db.get("SELECT title, description FROM tasks")).toEqual({
    title: "Parse dates",
    description: "kept",
  });
  const failed = await db.get<{ data: string }>("SELECT data FROM events WHERE type = 'memory.failed'");
  expect(JSON.parse(failed?.data ?? "")).toEqual({
    kind: "half",
    step: "capture",
    taskId: "t-1",
    error: "no room",
  });
  expect((await recall(both)).map((recalled) => recalled.section)).toEqual(["status"]);
  expect(told.map(({ type, data }) => [type, data])).toEqual([
    ["memory.failed", { kind: "half", step: "recall", taskId: "t-1", error: "cannot read" }],
  ]);
});

test("a kind that never answers is left out at the deadline", async () => {
  const hung: OpenedKind = {
    name: "hung",
    instructions: safe``,
    capture: async () => undefined,
    recall: () => new Promise(() => undefined),
  };
  expect(await recall(memory({ kinds: [hung], deadlineMs: 20 }))).toEqual([]);
  expect(told.map(({ data }) => data?.["error"])).toEqual(["took longer than 20 ms"]);
});

test("LOOP-19: with --no-memory nothing is recalled and all is captured", async () => {
  const off = memory({ enabled: false });
  await capture(sampleOutcome(), off);
  expect(await recall(off)).toEqual([]);
  expect((await reportsOf(db, "t-1")).map(({ attempt, category }) => [attempt, category])).toEqual([
    [1, "type_error"],
  ]);
});

test("SIG-9: memory's instructions name its sigils, and their examples are signals to nobody", async () => {
  const text = await memory().instructions([]);
  const named = ["failure-report", "retry-suggestion", "learning", "note"];
  expect(named.filter((name) => !text.match(new RegExp(`<${name}[ >]`)))).toEqual([]);
  expect(text).not.toMatch(/subtasks|memory-used/);
});
