import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { check, facts, failedCheck, failure, result, says, work } from "../../test/fakes/judge-facts.ts";
import { putNewStore } from "../../test/temp-store.ts";
import { safe } from "../base/safe-text.ts";
import { openStore } from "../store/open-store.ts";
import type { Db } from "../store/port/db.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { columnText } from "../trust/safe-text.ts";
import { allTotals, runTotals } from "./attempt-sums-store.ts";
import { type Interruption, interruptionsOf, recordInterruption } from "./interruption-store.ts";
import { type JudgeFacts, judge } from "./judge.ts";
import { attemptsOf, lastAttempt, recordExtraction, recordOutcome } from "./outcome-store.ts";

const now = new Date("2026-01-02T03:04:05.678Z");
let folder: string;
let db: Db;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "ralph-outcomes-"));
  const path = join(folder, "progress.db");
  await putNewStore(path);
  db = await openStore({ path });
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "One" }, now);
    await createTask(tx, { id: "t-2", title: "Two" }, now);
  });
});
afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

const save = (changes: Partial<JudgeFacts>) =>
  db.transaction((tx) => recordOutcome(tx, judge(facts(changes))));
const interruption = (changes: Partial<Interruption> = {}): Interruption => ({
  id: "x-1",
  taskId: "t-1",
  runId: "r-1",
  agent: "claude",
  model: "sonnet",
  kind: "rate_limit",
  message: safe`You've hit your limit`,
  startedAt: now.toISOString(),
  durationMs: 400.4,
  costUsd: 0.5,
  resetAt: "2026-01-02T13:00:00.000Z",
  waitUntil: "2026-01-02T13:00:01.000Z",
  limitedModel: null,
  ...changes,
});

test("FAIL-1 AGENT-2 AGENT-7: an attempt is written whole and read back", async () => {
  const told = result({
    tokens: { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 },
    sessionId: "s-1",
    stopReason: "completed",
    contextUsed: 50,
    contextSize: 200,
    compactions: 1,
    permissionDenials: ["Bash(npm install)"],
  });
  const warned = work({ warnings: ["mine.txt was changed"] });
  await save({ attempt: 1, checks: [failedCheck], durationMs: 1000.6, result: told, work: warned });
  await save({ attempt: 2 });
  expect(await attemptsOf(db, "t-1")).toEqual([
    {
      taskId: "t-1",
      attempt: 1,
      iterationId: "i-1",
      runId: "r-1",
      agent: "claude",
      model: "sonnet",
      startedAt: "2026-01-02T03:04:05.000Z",
      durationMs: 1001,
      tokensInput: 10,
      tokensOutput: 20,
      tokensCacheRead: 30,
      tokensCacheWrite: 40,
      costUsd: 0.25,
      costSource: "measured",
      agentModel: "claude-sonnet-4-5",
      sessionId: "s-1",
      stopReason: "completed",
      contextUsed: 50,
      contextSize: 200,
      compactions: 1,
      errorKind: null,
      permissionDenials: ["Bash(npm install)"],
      outcome: "failed",
      verification: "failed",
      errorType: "assertion_failure",
      errorSignature: expect.stringMatching(/^test_failure:/),
      verificationOutput: "AssertionError: 1 != 2",
      reason: "verification failed: npm test: exit code 1; the agent was not allowed: Bash(npm install)",
      tree: null,
      splitRefused: null,
      warnings: ["mine.txt was changed"],
    },
    expect.objectContaining({
      attempt: 2,
      outcome: "done",
      verification: "passed",
      errorType: null,
      verificationOutput: null,
    }),
  ]);
  expect(await attemptsOf(db, "t-2")).toEqual([]);
});

test("FAIL-1: every outcome and error type that judge gives is one that the table takes", async () => {
  const all: Partial<JudgeFacts>[] = [
    {},
    { checks: [failedCheck] },
    { claims: says("") },
    { result: failure("crash", "boom") },
    { result: failure("timeout", "late") },
    { checks: [check({ passed: false, reason: "timed out after 5m" })] },
  ];
  for (const [index, changes] of all.entries()) await save({ ...changes, attempt: index + 1 });
  const rows = await attemptsOf(db, "t-1");
  expect(rows.map((row) => [row.outcome, row.errorType])).toEqual([
    ["done", null],
    ["failed", "assertion_failure"],
    ["no_sigil", "unknown"],
    ["error", "tool_error"],
    ["error", "timeout"],
    ["failed", "timeout"],
  ]);
});

test("lastAttempt counts up from 0, by task", async () => {
  expect(await lastAttempt(db, "t-1")).toBe(0);
  await save({ attempt: 1 });
  await save({ attempt: 7 });
  expect([await lastAttempt(db, "t-1"), await lastAttempt(db, "t-2")]).toEqual([7, 0]);
});

test("LOOP-11: an attempt is recorded once; a second result rolls its transaction back", async () => {
  await save({ attempt: 1 });
  await expect(
    db.transaction(async (tx) => {
      await recordInterruption(tx, interruption());
      await recordOutcome(tx, judge(facts({ attempt: 1 })));
    }),
  ).rejects.toThrow();
  expect(await interruptionsOf(db, "t-1")).toEqual([]);
});

test("FAIL-1: interruptions are kept with their cost and burn no attempt", async () => {
  await db.transaction((tx) => recordInterruption(tx, interruption()));
  expect(await interruptionsOf(db, "t-1")).toEqual([interruption({ durationMs: 400 })]);
  expect(await lastAttempt(db, "t-1")).toBe(0);
});

test("TRUST-1: neither an outcome nor an interruption keeps a secret", async () => {
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  await save({ attempt: 1, result: failure("crash", `bad token ${secret}`) });
  await save({ attempt: 2, result: result({ model: secret, sessionId: secret, stopReason: secret }) });
  await db.transaction((tx) =>
    recordInterruption(tx, interruption({ message: columnText(`bad token ${secret}`) })),
  );
  const stored = JSON.stringify([await attemptsOf(db, "t-1"), await interruptionsOf(db, "t-1")]);
  expect(stored).toContain("bad token [redacted");
  expect(stored).not.toContain(secret);
});

test("LOOP-22 LOOP-17: totals count what interruptions and extraction cost, in all and by model", async () => {
  expect(await runTotals(db, "r-1")).toEqual({
    attempts: 0,
    done: 0,
    costUsd: null,
    durationMs: 0,
    interruptions: 0,
    byModel: [],
  });
  await save({ attempt: 1, checks: [failedCheck] });
  await save({ attempt: 2 });
  await save({ attempt: 3, model: "opus", taskId: "t-2", iterationId: "i-3" });
  await save({ attempt: 4, runId: "r-2" });
  await db.transaction(async (tx) => {
    await recordInterruption(tx, interruption());
    await recordExtraction(tx, "i-3", { model: "haiku", usd: 0.5 });
  });
  const none = { estimatedUsd: 0, unpriced: 0, givenUpUsd: 0 };
  expect(await runTotals(db, "r-1")).toEqual({
    attempts: 3,
    done: 2,
    costUsd: 1.75,
    durationMs: 3400,
    interruptions: 1,
    byModel: [
      { model: "sonnet", attempts: 2, done: 1, costUsd: 1, durationMs: 2400, ...none },
      { model: "opus", attempts: 1, done: 1, costUsd: 0.25, durationMs: 1000, ...none },
      { model: "haiku", attempts: 0, done: 0, costUsd: 0.5, durationMs: 0, ...none },
    ],
  });
  const all = await allTotals(db);
  expect(all.map(({ model, attempts, costUsd }) => [model, attempts, costUsd])).toEqual([
    ["sonnet", 3, 1.25],
    ["opus", 1, 0.25],
    ["haiku", 0, 0.5],
  ]);
});
