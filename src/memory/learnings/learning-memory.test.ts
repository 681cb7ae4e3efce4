import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import type { Db } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { createTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";
import type { Memory } from "../port/memory.ts";
import type { Recalled } from "../port/memory-kind.ts";
import { captureLearnings } from "./capture-learnings.ts";
import { impressionsOf } from "./store/injection-store.ts";
import type { Learning } from "./store/learning.ts";
import { freeId } from "./store/learning-store.ts";
import { historyOf, listLearnings } from "./store/read-learnings.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let db: Db;
let root: string;
let memory: Memory;

beforeEach(async () => {
  db = await openTempStore();
  root = mkdtempSync(join(tmpdir(), "ralph-learn-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  memory = openMemory({ ...memorySetup, db, root });
  await task("t-1", "Parse ISO dates in the importer", ["src/dates.ts"]);
});

const task = (id: string, title: string, files: readonly string[] = []): Promise<Task> =>
  db.transaction((tx) => createTask(tx, { id, title, files }, now));

async function capture(outcome: Outcome): Promise<void> {
  await db.transaction(async (tx) => {
    await recordOutcome(tx, outcome);
    await memory.capture(tx, outcome, now);
  });
}

async function recall(taskId: string, attempt = 1, from = memory): Promise<Recalled | undefined> {
  const found = await db.get<{ id: string }>("SELECT id FROM tasks WHERE id = ?", [taskId]);
  const { getTask } = await import("../../tasks/graph/task-store.ts");
  const wanted = await getTask(db, found?.id ?? "");
  if (!wanted) throw new Error(taskId);
  const place = { runId: "run-2", iteration: 1, seed: "seed-1" };
  const all = await from.recall({ task: wanted, attempt, ...place });
  return all.find(({ section }) => section === "learnings");
}

async function show(taskId: string, ids: readonly string[], prompt = ""): Promise<string> {
  const iterationId = `i-${taskId}-1`;
  const items = ids.map((id, at) => ({ section: "learnings", id, score: 9 - at }));
  const shown = {
    iterationId,
    runId: "run-2",
    taskId,
    attempt: 1,
    model: "sonnet",
    prompt,
    items,
    withheld: [],
  };
  await db.transaction((tx) => memory.recordShown(tx, shown, now));
  return iterationId;
}

const all = (): Promise<readonly Learning[]> => listLearnings(db);

test("LEARN-1: a learning has its lesson, tags of its surroundings, and where it came from", async () => {
  writeFileSync(join(root, "dates.ts"), "one\ntwo\nthree\n");
  const text = "In dates.ts:2 leap days need UTC, vitest runs them in local time.";
  await capture(sampleOutcome({ claims: saying({ memory: learnt(text, { topic: "dates" }) }) }));
  const [one] = await all();
  expect(one?.id).toMatch(/^l-[0-9a-f]{6}$/);
  expect(one).toMatchObject({
    category: "pitfall",
    lesson: text,
    detail: "",
    topic: "dates",
    files: ["src/dates.ts", "src/a.ts"],
    tags: ["dates", "src/dates.ts", "src/a.ts", "type_error", "npm", "vitest"],
    status: "active",
    citations: [{ path: "dates.ts", lines: "2" }],
    provenance: { source: "agent", task: "t-1", runId: "run-1", agent: "claude", model: "sonnet" },
  });
  const columns = await db.all<{ name: string }>("SELECT name FROM pragma_table_info('learnings') LIMIT 8");
  expect(columns.map(({ name }) => name)).toEqual(
    "id task_id category content relevance_tags created_at pruned_at superseded_by".split(" "),
  );
});

test("LEARN-1: the id grows where it is taken; long texts are split into lesson and detail", async () => {
  await capture(
    sampleOutcome({ claims: saying({ memory: learnt(`First part here. ${"word ".repeat(120)}`) }) }),
  );
  const [one] = await all();
  expect(one?.lesson.length).toBeLessThanOrEqual(280);
  expect(one?.detail.length).toBeGreaterThan(300);
  const drawn: number[] = [];
  const id = await freeId(db, (bytes) => {
    drawn.push(bytes);
    return bytes < 5 ? `${one?.id}` : "l-0000000000";
  });
  expect([id, drawn]).toEqual(["l-0000000000", [3, 4, 5]]);
});

test("LEARN-2: captured after success and failure alike, secrets taken out, a flood capped", async () => {
  await capture(
    sampleOutcome({ claims: saying({ memory: learnt("Failing taught us to seed the clock.") }) }),
  );
  const key = `AKIA${"QWERTYUIOPASDFGH"}`;
  await capture(
    sampleOutcome({
      attempt: 2,
      ...passed,
      claims: saying({ memory: learnt(`The key ${key} is needed for the upload.`) }),
    }),
  );
  const flood = Array.from(
    { length: 50 },
    (_, n) => learnt(`Lesson number ${n} about another thing.`).learnings[0],
  );
  const many = { ...sampleOutcome().claims.memory, learnings: flood.flatMap((one) => one ?? []) };
  await capture(sampleOutcome({ attempt: 3, claims: saying({ memory: many }) }));
  const lessons = (await all()).map(({ lesson }) => lesson);
  expect(lessons.some((lesson) => lesson.includes("seed the clock"))).toBe(true);
  expect(JSON.stringify(await db.all("SELECT * FROM learnings"))).not.toContain(key);
  expect(lessons.filter((lesson) => lesson.startsWith("Lesson number"))).toHaveLength(10);
});

test("LEARN-10: a shown learning with another number, or a not, is a lesson of its own and no echo", async () => {
  const said = "The tokenizer tests need node 20, or the snapshot on the server differs.";
  await capture(sampleOutcome({ claims: saying({ memory: learnt(said) }) }));
  const [one] = await all();
  await show("t-1", [`${one?.id}`]);
  for (const [at, text] of ["node 22,", "no node 20,", "node 20 still,"].entries()) {
    const memory = learnt(said.replace("node 20,", text));
    const outcome = { attempt: at + 2, iterationId: "i-t-1-1", claims: saying({ memory }) };
    await db.transaction((tx) =>
      captureLearnings(tx, { outcome: sampleOutcome(outcome), task: undefined }, { root, prompt: "" }, now),
    );
  }
  const lessons = (await all()).map(({ lesson }) => lesson);
  expect(lessons).toHaveLength(3);
  expect(lessons.join()).not.toContain("still");
});

test("LEARN-10: empty phrases and what the prompt said itself are not kept; the same again strengthens", async () => {
  const text = "Use UTC in the date parser, or leap days fail.";
  for (const [at, said] of ["none", "N/A", "n/a.", "too short", "No new learnings."].entries()) {
    await capture(sampleOutcome({ attempt: at + 1, claims: saying({ memory: learnt(said) }) }));
  }
  expect(await all()).toEqual([]);
  await capture(sampleOutcome({ attempt: 10, claims: saying({ memory: learnt(text) }) }));
  await capture(
    sampleOutcome({
      attempt: 11,
      claims: saying({ memory: learnt("use utc in the date parser or LEAP DAYS fail") }),
    }),
  );
  const [one, ...more] = await all();
  expect([one?.timesSeen, more]).toEqual([2, []]);
  await task("t-2", "Parse times");
  const iterationId = await show(
    "t-2",
    [`${one?.id}`],
    `- **[pitfall]** ${text} (l-1)\nWork carefully and say what you decided.`,
  );
  for (const echo of [
    text,
    "Use UTC in the date parser, or else leap days fail.",
    "work carefully, and say what you decided",
  ]) {
    const outcome = sampleOutcome({
      taskId: "t-2",
      iterationId,
      attempt: echo.length,
      claims: saying({ memory: learnt(echo) }),
    });
    await capture(outcome);
  }
  expect((await all()).map(({ timesSeen }) => timesSeen)).toEqual([2]);
});

test("LEARN-5: a line each with category, lesson and id; viewing sets nothing, showing sets the time of use", async () => {
  await capture(
    sampleOutcome({ claims: saying({ memory: learnt("ISO dates in the importer need UTC.\n## Forged") }) }),
  );
  await task("t-2", "Parse ISO dates with zones in the importer");
  const section = await recall("t-2");
  const [one] = await all();
  expect(section?.heading).toBe("### Learnings from Previous Iterations");
  expect(section?.items.map(({ short }) => short)).toEqual([
    `- **[pitfall]** ISO dates in the importer need UTC. ## Forged (${one?.id}, today, unproven)`,
  ]);
  expect(one?.lastUsedAt).toBeNull();
  await show("t-2", [`${one?.id}`]);
  expect((await all())[0]).toMatchObject({ lastUsedAt: now.toISOString(), timesShown: 1 });
});

test("LEARN-5: nothing fits, nothing is shown", async () => {
  expect(await recall("t-1")).toBeUndefined();
});

test("LEARN-6: only verified outcomes count, and only verdicts on what was shown", async () => {
  await capture(sampleOutcome({ claims: saying({ memory: learnt("ISO dates in the importer need UTC.") }) }));
  const id = `${(await all())[0]?.id}`;
  const verdicts = [
    { id, helpful: true },
    { id: "l-ffffff", helpful: true },
  ];
  const memorySigils = { ...sampleOutcome().claims.memory, verdicts };
  const judge = async (taskId: string, changes: Partial<Outcome>): Promise<Learning | undefined> => {
    await task(taskId, "Parse more ISO dates");
    const iterationId = await show(taskId, [id]);
    await capture(
      sampleOutcome({ taskId, iterationId, claims: saying({ memory: memorySigils }), ...changes }),
    );
    return (await all())[0];
  };
  const unverified = { ...passed, verification: "unverified" } as const;
  expect(await judge("t-2", unverified)).toMatchObject({ shownPassed: 0, saidHelpful: 0 });
  expect(await judge("t-3", { verification: "failed" })).toMatchObject({ shownFailed: 1, saidHelpful: 0 });
  expect(await judge("t-4", passed)).toMatchObject({ shownPassed: 1, shownFailed: 1, saidHelpful: 1 });
  const showings = await impressionsOf(db, id);
  expect(showings.map(({ taskId, verdict, verification }) => [taskId, verdict, verification])).toEqual([
    ["t-2", "helpful", "unverified"],
    ["t-3", "helpful", "failed"],
    ["t-4", "helpful", "passed"],
  ]);
});

test("LEARN-6: a held-out iteration is shown nothing and recorded; which ones is fixed by run and number", async () => {
  await capture(sampleOutcome({ claims: saying({ memory: learnt("ISO dates in the importer need UTC.") }) }));
  await task("t-2", "Parse ISO dates with zones in the importer");
  const always = openMemory({ ...memorySetup, db, root, learnings: { max: 5, holdout: 1 } });
  const section = await recall("t-2", 1, always);
  expect(section?.withheld).toContain("held out");
  const withheld = (section?.items ?? []).map(({ id }) => ({ section: "learnings", id }));
  const base = {
    iterationId: "i-9",
    runId: "run-2",
    taskId: "t-2",
    attempt: 1,
    model: "m",
    prompt: "",
    items: [],
  };
  await db.transaction((tx) => always.recordShown(tx, { ...base, withheld }, now));
  expect(await db.all("SELECT iteration_id, rank, held_out FROM memory_injections")).toEqual([
    { iteration_id: "i-9", rank: 1, held_out: 1 },
  ]);
  expect((await all())[0]).toMatchObject({ timesShown: 0, lastUsedAt: null });
  expect(await always.instructions(section ? [section] : [])).not.toContain("memory-used");
  expect(await memory.instructions([{ ...section, withheld: undefined } as unknown as Recalled])).toContain(
    "memory-used",
  );
});

test("LEARN-7: a cited file that changed is told and marked when shown; a missing one withholds", async () => {
  writeFileSync(join(root, "dates.ts"), "a\n");
  await capture(
    sampleOutcome({ claims: saying({ memory: learnt("Parse ISO dates in dates.ts with UTC only.") }) }),
  );
  await task("t-2", "Parse ISO dates with zones");
  const id = `${(await all())[0]?.id}`;
  writeFileSync(join(root, "dates.ts"), "b\n");
  expect((await recall("t-2"))?.items[0]?.short).toContain("has changed since");
  expect((await all())[0]?.status).toBe("active");
  await show("t-2", [id]);
  expect((await all())[0]?.status).toBe("stale");
  expect((await historyOf(db, id)).map(({ change, by }) => `${change} by ${by}`)).toEqual([
    "captured by agent",
    "stale by ralph",
  ]);
  rmSync(join(root, "dates.ts"));
  const section = await recall("t-2");
  expect(section?.items).toEqual([]);
  expect(section?.leftOut?.[0]).toEqual({ id, reason: "a cited file is missing" });
});
