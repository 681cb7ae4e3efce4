import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { createTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";
import type { Recalled } from "../port/memory-kind.ts";
import { trialOf } from "./learning-memory.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

test("LEARN-6 LEARN-11: where nothing fits, hold-outs show the best silenced lesson in their share, and record the others", async () => {
  const db = await openTempStore();
  const open = (holdout: number) =>
    openMemory({ ...memorySetup, db, root: "/", learnings: { max: 5, holdout } });
  const task = await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "Parse dates" }, now);
    const outcome = sampleOutcome({
      claims: saying({ memory: learnt("ISO dates in the importer need UTC.") }),
    });
    await open(0).capture(tx, outcome, now);
    return createTask(tx, { id: "t-2", title: "Translate the onboarding mails to Portuguese" }, now);
  });
  const recall = async (memory = open(0)): Promise<Recalled | undefined> => {
    const all = await memory.recall({ task, attempt: 1, runId: "run-2", iteration: 1, seed: "seed-1" });
    return all.find(({ section }) => section === "learnings");
  };
  expect((await recall())?.items ?? []).toEqual([]);
  const base = { runId: "run-2", taskId: "t-2", attempt: 1, model: "m", prompt: "" };
  const trial = async (holdout: number, iterationId: string) => {
    const other = open(holdout);
    const section = await recall(other);
    const ids = (section?.items ?? []).map(({ id }) => ({ section: "learnings", id, score: 1 }));
    const shown = section?.withheld ? { items: [], withheld: ids } : { items: ids, withheld: [] };
    await db.transaction((tx) => other.recordShown(tx, { ...base, iterationId, ...shown }, now));
    return { count: ids.length, withheld: section?.withheld };
  };
  expect(await trial(1, "i-shown")).toMatchObject({ count: 1, withheld: undefined });
  expect(await trial(1e-9, "i-silent")).toMatchObject({
    count: 1,
    withheld: expect.stringContaining("silence"),
  });
  const rows = await db.all(
    "SELECT iteration_id, held_out, silenced FROM memory_trials ORDER BY iteration_id",
  );
  expect(rows).toEqual([
    { iteration_id: "i-shown", held_out: 0, silenced: 1 },
    { iteration_id: "i-silent", held_out: 1, silenced: 1 },
  ]);
  // An agent of an iteration that was silent anyway may search.
  expect(await trialOf(db, "i-silent")).toBeUndefined();
  expect(await db.all("SELECT evidence FROM memory_injections")).toEqual([
    { evidence: "words" },
    { evidence: "words" },
  ]);
});
