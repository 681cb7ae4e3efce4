import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Outcome, StatedLearning } from "../../outcome/outcome.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import { createTask } from "../../tasks/graph/task-store.ts";
import { openLearningActions } from "../learning-actions.ts";
import { openMemory } from "../memory.ts";
import { readEvidence } from "./skill-evidence.ts";

const glass = "Use .glassEffect() for Liquid Glass, not .background(.thinMaterial).";
const later = (minutes: number): Date => new Date(Date.UTC(2026, 2, 1, 11, minutes));

async function project() {
  const db = await openTempStore();
  const memory = openMemory({ ...memorySetup, db });
  for (const id of ["UX13", "LG1"])
    await db.transaction((tx) =>
      createTask(tx, { id, title: id, tags: ["ios26"], files: ["Views/A.swift"] }, later(0)),
    );
  return {
    db,
    capture: (outcome: Outcome, at: Date) =>
      db.transaction(async (tx) => {
        await recordOutcome(tx, outcome);
        await memory.capture(tx, outcome, at);
      }),
  };
}

function attempt(
  taskId: string,
  startedAt: Date,
  said: Partial<StatedLearning>,
  more: Partial<Outcome> = {},
): Outcome {
  const memory = learnt(said.text ?? glass, { category: "success_pattern", tags: [], topic: null, ...said });
  const claims = saying({ memory });
  return sampleOutcome({ taskId, startedAt: startedAt.toISOString(), claims, ...passed, ...more });
}

test("LEARN-3: a lesson that two tasks state is one learning, and evidence from each of them", async () => {
  const { db, capture } = await project();
  await capture(attempt("UX13", later(1), { topic: "ios26" }), later(2));
  await capture(attempt("LG1", later(3), {}), later(4));
  expect(await db.get("SELECT COUNT(*) AS n, MAX(times_seen) AS seen FROM learnings")).toEqual({
    n: 1,
    seen: 2,
  });
  const evidence = await readEvidence(db);
  expect(evidence).toMatchObject([
    { taskId: "UX13", at: later(2).toISOString() },
    { taskId: "LG1", at: later(4).toISOString() },
  ]);
  for (const one of evidence)
    expect(one).toMatchObject({
      ...{ kind: "success", category: "ios26", pattern: glass, reusable: true, statedIn: "learning" },
      ...{ outcome: "success", verified: true, imported: false, error: null, attempt: 1, runId: "run-1" },
      ...{ tags: ["ios26"], files: ["src/a.ts", "Views/A.swift"] },
    });
});

test("LEARN-3: a failed attempt is evidence of failures with their lesson and its error", async () => {
  const { db, capture } = await project();
  const text = "Tried .background(.ultraThinMaterial), which is deprecated. Use .glassEffect() for iOS 26.";
  const { category, errorExcerpt } = sampleOutcome();
  const failed = { name: "failed", verification: "failed", category, errorExcerpt } as const;
  await capture(attempt("UX13", later(1), { text, category: "pitfall" }, failed), later(2));
  expect(await readEvidence(db)).toMatchObject([
    {
      ...{ kind: "failure", pattern: "Tried .background(.ultraThinMaterial), which is deprecated." },
      ...{ supplement: "Use .glassEffect() for iOS 26.", verified: false, outcome: "failure" },
      error: "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.",
    },
    { kind: "failure", statedIn: "facts", category: "ios26" },
  ]);
});

test("LEARN-3: evidence has the text that a person corrected", async () => {
  const { db, capture } = await project();
  await capture(attempt("UX13", later(1), {}), later(2));
  const actions = openLearningActions({ db, root: "/nonexistent", now: () => later(3) });
  const [one] = await actions.list({});
  await actions.edit(`${one?.id}`, { text: "Use .glassEffect() on iOS 26 only." });
  expect(await readEvidence(db)).toMatchObject([{ pattern: "Use .glassEffect() on iOS 26 only." }]);
});

test("LEARN-3: an archived learning is no evidence", async () => {
  const { db, capture } = await project();
  await capture(attempt("UX13", later(1), {}), later(2));
  await db.transaction((tx) => tx.run("UPDATE learnings SET status = 'pruned'"));
  expect(await readEvidence(db)).toEqual([]);
});
