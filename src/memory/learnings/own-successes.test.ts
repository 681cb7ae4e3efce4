import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import { createTask, requireTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";
import { listLearnings } from "./store/read-learnings.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const said = "The export hands over dates as text, so each is parsed before it is added up.";
const titles = {
  "t-1": "Convert the dates of the ledger export into numbers",
  "t-2": "Convert the dates of the invoice export into numbers",
  "t-3": "Translate the labels of the start page",
};

test("LEARN-15: what a verified attempt said is offered to like tasks of its project, a refuted one's or an echo is not", async () => {
  const db = await openTempStore();
  const memory = openMemory({ ...memorySetup, db });
  for (const [id, title] of Object.entries(titles))
    await db.transaction((tx) => createTask(tx, { id, title }, now));
  const capture = (outcome: Outcome): Promise<void> =>
    db.transaction(async (tx) => {
      await recordOutcome(tx, outcome);
      await memory.capture(tx, outcome, now);
    });
  const shownTo = async (id: string): Promise<readonly string[]> => {
    const task = await requireTask(db, id);
    const all = await memory.recall({ task, attempt: 1, runId: "run-2", iteration: 1, seed: "s" });
    return all.flatMap(({ section, items }) =>
      section === "learnings" ? items.map(({ text }) => text) : [],
    );
  };
  await capture(sampleOutcome({ taskId: "t-1", finalMessage: said }));
  expect(await shownTo("t-2")).toEqual([]);
  const memorySaid = learnt("The ledger counts days since the year 1900.");
  const finalMessage = `${said}\n<learning>x</learning>\n<task-done>t-1</task-done>`;
  await capture(
    sampleOutcome({
      taskId: "t-1",
      attempt: 2,
      ...passed,
      finalMessage,
      claims: saying({ memory: memorySaid }),
    }),
  );
  const shown = await shownTo("t-2");
  expect(shown.some((text) => text.startsWith("- **[summary]** The export hands over dates as text"))).toBe(
    true,
  );
  expect((await shownTo("t-3")).join()).not.toContain("hands over dates");
  // Said again of another task it is one learning, and no entry of a record.
  await capture(sampleOutcome({ taskId: "t-3", ...passed, finalMessage: said }));
  const kept = (await listLearnings(db)).filter(({ category }) => category === "summary");
  expect(kept.map(({ timesSeen }) => timesSeen)).toEqual([2]);
  const entries = await db.all(
    "SELECT content FROM learning_record_entries WHERE content LIKE '%hands over%' AND list <> 'failures'",
  );
  expect(entries).toEqual([]);
});
