import { expect, test } from "vitest";
import { memorySetup } from "../../test/memory-setup.ts";
import { sampleOutcome } from "../../test/sample-outcome.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { recordInterruption } from "../outcome/interruption-store.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import type { Db } from "../store/port/db.ts";
import { insertTaskLog } from "../tasks/graph/task-log-store.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { columnText } from "../trust/safe-text.ts";
import { pruneMemory } from "./maintain-memory.ts";
import { openMemory } from "./memory.ts";
import { openMemoryActions } from "./memory-actions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

const ownTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";

/** The tables with the word in a row, but for events, which stay for their readers. */
async function tablesWith(db: Db, word: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of await db.all<{ name: string }>(ownTables)) {
    const rows = JSON.stringify(await db.all(`SELECT * FROM ${name}`));
    if (name !== "events" && rows.includes(word)) found.push(name);
  }
  return found.sort();
}

const interruption = {
  ...{ taskId: "t-1", model: null, kind: "rate_limit", durationMs: 0, costUsd: null },
  ...{ resetAt: null, waitUntil: null, limitedModel: null },
};

/** A failed attempt of `run-1` and one of `run-2`, each of which states its word wherever an attempt can. */
async function withAttempts(): Promise<Db> {
  const db = await openTempStore();
  const memory = openMemory({ ...memorySetup, db });
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "one", status: "done" }, now);
    for (const [attempt, word] of [
      [1, "zyxomat"],
      [2, "quvolith"],
    ] as const) {
      const runId = `run-${attempt}`;
      await tx.run("INSERT INTO runs (id, started_at) VALUES (?, '')", [runId]);
      const { claims, session } = sampleOutcome();
      const outcome = sampleOutcome({
        ...{ runId, attempt, reason: `the agent reported failure: ${word}`, errorExcerpt: `error: ${word}` },
        session: { ...session, permissionDenials: [`Bash: echo ${word}`] },
        claims: { ...claims, retrySuggestion: `try ${word}` },
        splitRefused: `no task ${word}`,
      } as object);
      const { agent, startedAt } = outcome;
      const ended = {
        id: `x-${attempt}`,
        runId,
        agent,
        startedAt,
        message: columnText(`limit of ${word}`),
      };
      await recordInterruption(tx, { ...interruption, ...ended });
      await recordOutcome(tx, outcome);
      await memory.capture(tx, outcome, now);
    }
  });
  return db;
}

test("TRUST-4: a purge of a run leaves nothing of it where its attempts were deleted by age", async () => {
  const db = await withAttempts();
  const actions = openMemoryActions({ db, now: () => now });
  await db.transaction(async (tx) => {
    for (const line of ["released by run run-1: found zyxomat", "blocked (attempts): found zyxomat"])
      await insertTaskLog(tx, "t-1", columnText(line), now);
  });
  const prune = { reportsMs: 1, learningsMs: 1, unusedMs: 1 };
  const later = new Date(now.getTime() + 86_400_000);
  const request = { db, runId: null, now: later, prune, difficultyOf: async () => "hard" };
  expect((await pruneMemory(request, {})).reports).toEqual(["t-1"]);
  expect(await tablesWith(db, "zyxomat")).not.toEqual([]);
  await actions.purge(await actions.planPurge({ ids: [], runId: "run-1" }));
  expect(await tablesWith(db, "zyxomat")).toEqual([]);
});

test("TRUST-4: a purge of a run erases what the agent stated in each column of its attempts", async () => {
  const db = await withAttempts();
  const actions = openMemoryActions({ db, now: () => now });
  await actions.purge(await actions.planPurge({ ids: [], runId: "run-1" }));
  expect(await tablesWith(db, "zyxomat")).toEqual([]);
  expect(await tablesWith(db, "quvolith")).toContain("iteration_outcomes");
});
