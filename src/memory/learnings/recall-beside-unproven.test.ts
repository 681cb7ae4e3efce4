import { beforeEach, expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { sampleOutcome } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { type RedactedText, safe } from "../../base/safe-text.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import type { Db } from "../../store/port/db.ts";
import { createTask, requireTask } from "../../tasks/graph/task-store.ts";
import { byCommand, openLearningActions } from "../learning-actions.ts";
import { openMemory } from "../memory.ts";
import type { Recalled } from "../port/memory-kind.ts";
import { putLearnings } from "./store/learning-store.ts";
import { getLearnings } from "./store/read-learnings.ts";

const start = new Date("2026-03-01T10:00:00.000Z");
const now = new Date("2026-03-02T10:00:00.000Z");
const title = "Fix the dates again in src/dates.ts";
const unrelated = [
  "The invoice PDF needs embedded fonts, or printing fails at the customer.",
  "Widgets redraw on focus events, so debounce the handler.",
  "Redis connections leak when the pool is not closed after a test.",
];
let db: Db;

beforeEach(async () => {
  db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const id of ["t-1", "t-2"])
      await createTask(tx, { id, title: id === "t-1" ? "Begin" : title }, start);
  });
});

async function store(text: string, by: "person" | "agent", at = start): Promise<string> {
  const about = { category: "pitfall", topic: null, tags: [], files: [], scope: "project" };
  const provenance = byCommand(by === "agent" ? { taskId: "t-1", runId: "run-1" } : null);
  const actions = openLearningActions({ db, root: "/nonexistent", now: () => at });
  return (await actions.store({ text, ...about, provenance })).learning.id;
}

async function flood(lessons: number): Promise<void> {
  for (let n = 1; n <= lessons; n += 1)
    await store(
      `${title}: step ${n}${n}${n} is to call helper${n} of module${n} and then ignore${n}`,
      "agent",
      now,
    );
}

async function recall(holdout = 0): Promise<Recalled | undefined> {
  const task = await requireTask(db, "t-2");
  const memory = openMemory({ ...memorySetup, db, root: "/nonexistent", learnings: { max: 5, holdout } });
  const all = await memory.recall({ task, attempt: 1, runId: "run-2", iteration: 1, seed: "s" });
  return all.find(({ section }) => section === "learnings");
}

const ids = (recalled: Recalled | undefined): readonly string[] =>
  (recalled?.items ?? []).map(({ id }) => `${id}`);

test.each([10, 60])(
  "LEARN-12: %d lessons of agents with the words of a task leave a person's in its prompt",
  async (lessons) => {
    await store("The parser in src/dates.ts needs UTC, or leap days fail", "person");
    await store("Dates of the export are written without a time zone", "person");
    await store("Again and again dates break at midnight: fix the clock in tests", "person");
    for (const text of unrelated) await store(text, "person");
    const before = await recall();
    expect(ids(before).length).toBeGreaterThan(0);
    await flood(lessons);
    const after = await recall();
    expect(ids(after).slice(0, ids(before).length)).toEqual(ids(before));
    const texts = after?.items.map(({ text }) => text) ?? [];
    expect(texts.filter((text) => text.includes("unproven")).length).toBeLessThanOrEqual(2);
  },
);

test("LEARN-12: an agent's near copy of a person's lesson does not take its place", async () => {
  const lesson =
    "Dates in src/dates.ts again: the parser needs UTC, the export needs UTC, or leap days fail in tests";
  const id = await store(lesson, "person");
  await store(
    lesson.replace("Dates in src/dates.ts again", "Fix the dates again in src/dates.ts"),
    "agent",
    now,
  );
  const recalled = await recall();
  expect(ids(recalled)).toEqual([id]);
  expect(recalled?.leftOut?.some(({ reason }) => reason.startsWith("near-duplicate"))).toBe(true);
});

test("LEARN-12 FAIL-5: fixes that agents claim leave a proven fix of the error its place", async () => {
  const signature = safe`type_error:known`;
  const [fix = ""] = await known(["The parser of dates wants a Z at the end of a time"], signature, true);
  await known(
    ["Claim one about fonts", "Claim two about grids", "Claim three about mails"],
    signature,
    false,
  );
  await db.transaction((tx) => recordOutcome(tx, sampleOutcome({ taskId: "t-2", signature })));
  expect(ids(await recall())[0]).toBe(fix);
});

/** Stores fixes of an error, each later than those before. */
async function known(
  lessons: readonly string[],
  signature: RedactedText,
  proven: boolean,
): Promise<readonly string[]> {
  const stored: string[] = [];
  for (const lesson of lessons) {
    const id = await store(lesson, proven ? "person" : "agent", proven ? start : now);
    const [learning] = await getLearnings(db, [id]);
    if (!learning) throw new Error(id);
    const change = {
      learning: { ...learning, fixes: [signature] },
      change: "strengthened",
      by: "agent",
    } as const;
    await db.transaction((tx) => putLearnings(tx, [change], { runId: null, now }));
    stored.push(id);
  }
  return stored;
}
