import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { safe } from "../src/base/safe-text.ts";
import { summarizeLearnings } from "../src/memory/learnings/maintain-learnings.ts";
import { splitLesson, storableText } from "../src/memory/learnings/store/learning-text.ts";
import { getLearnings, listLearnings } from "../src/memory/learnings/store/read-learnings.ts";
import { pruneMemory } from "../src/memory/maintain-memory.ts";
import type { Db } from "../src/store/port/db.ts";
import { difficultyOf } from "../src/strategy/task-metrics.ts";
import {
  actionsOn,
  day,
  exported,
  fill,
  type StatedLearning,
  start,
  useDaily,
  withoutArrivals,
} from "./stored-learnings.ts";
import { openTempStore } from "./temp-store.ts";

let db: Db;

beforeEach(async () => {
  db = await openTempStore();
});

/** 10,000 with RALPH_TEST_LEARNINGS=10000 (`npm run test:learnings`). */
const many = Number(process.env["RALPH_TEST_LEARNINGS"] ?? 150);

test("LEARN-1: export and import lose nothing, whatever the texts", async () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }).map(storableText);
  const one = fc.record({
    lesson: text.map((said) => splitLesson(safe`lesson ${said}`).lesson),
    detail: text,
    category: text.map((said) => `c${said}`),
    topic: fc.option(text),
    tags: fc.array(text, { maxLength: 4 }),
    status: fc.constantFrom("active", "stale", "pruned", "quarantined"),
    timesShown: fc.nat(),
    saidHelpful: fc.nat(),
    pinned: fc.boolean(),
    lastUsedAt: fc.option(fc.constant("2026-02-03T04:05:06.789Z")),
    fixes: fc.constantFrom([], ["type_error:abc"]),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 5 }), async (learnings) => {
      const [from, to] = [await openTempStore(), await openTempStore()];
      await fill(from, learnings as readonly StatedLearning[]);
      const lines = await exported(from);
      await actionsOn(to).import(lines.join("\n"), { approved: true, origin: "a file" });
      expect(withoutArrivals(await exported(to))).toEqual(lines);
    }),
    { numRuns: many > 1000 ? 100 : 6 },
  );
});

test("TRUST-4: without approval everything waits in quarantine, and approved it is what it was", async () => {
  await fill(db, [
    { lesson: "Leap days need UTC in the parser." },
    { lesson: "Old and pruned away.", status: "pruned" },
  ]);
  const other = await openTempStore();
  const actions = actionsOn(other);
  const text = (await exported(db)).join("\n");
  expect(await actions.import(text, { approved: false, origin: "theirs.jsonl" })).toMatchObject({
    imported: 2,
    quarantined: 2,
  });
  const waiting = await listLearnings(other, { status: ["quarantined"] });
  expect(waiting).toHaveLength(2);
  await actions.approve(waiting.map(({ id }) => id));
  // A person approved them here, whoever did so where they are from.
  const provenAt = new Date(start.getTime() + 365 * day).toISOString();
  const there = (await listLearnings(db)).map((learning) => ({ ...learning, provenAt }));
  expect(await listLearnings(other)).toEqual(there);
  expect((await actions.history(`${waiting[0]?.id}`)).history.map(({ change }) => change)).toEqual([
    "captured",
    "imported",
    "approved",
  ]);
  expect(await actions.import(text, { approved: false, origin: "theirs.jsonl" })).toMatchObject({
    imported: 0,
    unchanged: 2,
  });
  const bad = await actions.import('{"learning":{"id":"x"}}\nnot json', { approved: false, origin: "bad" });
  expect(bad.problems).toEqual([
    { line: 1, problem: "has a learning without `content`" },
    { line: 2, problem: "is not a JSON object" },
  ]);
});

const approved = { approved: true, origin: "a copy" };

test("LEARN-8, LEARN-9: many learnings survive summarise, prune, restore, export and import", async () => {
  const topics = ["parser", "router", "cache", "login", "mailer"];
  await fill(
    db,
    Array.from({ length: many }, (_, n) => {
      const topic = `${topics[n % 5]}`;
      const word = (by: number): string => `w${(n * by).toString(36)}`;
      const lesson = `${word(3)} of the ${topic} needs ${word(7)} ${word(11)} before ${word(13)} runs ${word(17)}.`;
      const path = `src/${topic}/part${n % 40}.ts`;
      return {
        lesson,
        category: "pitfall",
        tags: [topic, path],
        files: [path],
        topic: n % 3 === 0 ? topic : null,
        detail: n % 4 === 0 ? `Found in ${word(19)}; see ${word(23)}.` : "",
        citations: n % 5 === 0 ? [{ path, lines: n % 2 === 0 ? "1-3" : null, hash: `hash${n}` }] : [],
        fixes: n % 11 === 0 ? [`type_error:${n % 77}`] : [],
        timesShown: n % 6,
        shownPassed: n % 4,
        shownFailed: n % 3,
        saidHelpful: n % 2,
        saidHarmful: n % 7 === 0 ? 1 : 0,
      };
    }),
  );
  const before = await listLearnings(db);
  const ages = { reportsMs: 7 * day, metricsMs: 30 * day, learningsMs: 90 * day, unusedMs: 30 * day };
  const merges = await summarizeLearnings({ db, runId: null, now: new Date(start.getTime() + day) }, {});
  expect(merges.length).toBeGreaterThan(many / 40);
  await useDaily(db, 200);
  await pruneMemory(
    { db, runId: null, now: new Date(start.getTime() + 200 * day), prune: ages, difficultyOf },
    {},
  );
  const away = await listLearnings(db);
  expect(away.filter(({ status }) => status === "active")).toEqual([]);
  expect(away).toHaveLength(many + merges.length);
  // Summarising and pruning took no learning and changed nothing of one but its standing.
  const standing = { status: "", supersededBy: null, prunedAt: null, pinned: false };
  const apart = new Map(away.map((one) => [one.id, { ...one, ...standing }]));
  for (const one of before) expect(apart.get(one.id)).toEqual({ ...one, ...standing });
  // Each merged one holds the credit of its members, which all point to it.
  const ofId = new Map(away.map((one) => [one.id, one]));
  for (const { id, from } of merges) {
    const members = from.map((member) => ofId.get(member));
    expect(ofId.get(`${id}`)?.derivedFrom).toEqual(from);
    expect(ofId.get(`${id}`)?.saidHelpful).toBe(
      members.reduce((sum, one) => sum + (one?.saidHelpful ?? 0), 0),
    );
    expect(members.every((one) => one?.supersededBy === id && one?.status === "superseded")).toBe(true);
  }
  const actions = actionsOn(db);
  const back = before.slice(0, 100);
  for (const { id } of back) await actions.restore(id);
  const restored = await getLearnings(
    db,
    back.map(({ id }) => id),
  );
  expect(restored).toEqual(back.map((one) => ({ ...one, pinned: true })));

  const lines = await exported(db);
  expect(lines).toHaveLength(1 + many + merges.length);
  expect((await actions.import(lines.join("\n"), approved)).unchanged).toBe(lines.length - 1);
  expect(await exported(db)).toEqual(lines);
  const copy = await openTempStore();
  for (const unchanged of [0, lines.length - 1]) {
    expect(await actionsOn(copy).import(lines.join("\n"), approved)).toMatchObject({
      imported: lines.length - 1 - unchanged,
      unchanged,
      renamed: 0,
      problems: [],
    });
    // Bytes, so order, history, credit, citations, provenance and supersession too; what an error is looked up by as well.
    expect(withoutArrivals(await exported(copy))).toEqual(lines);
  }
  const signatures = "SELECT learning_id, signature FROM learning_signatures ORDER BY 1, 2";
  expect(await copy.all(signatures)).toEqual(await db.all(signatures));
  expect(await listLearnings(copy)).toEqual(await listLearnings(db));
  for (const store of [db, copy]) {
    expect(await store.get("SELECT SUM(documents) AS n FROM retrieval_shelves")).toEqual({ n: 100 });
  }
}, 600_000);

/** The lines of an export of one learning, its row and its first line of history changed. */
async function forged(row: object, history: object = {}): Promise<string> {
  const from = await openTempStore();
  await fill(from, [{ lesson: "Leap days need UTC in the parser." }]);
  const [header, line] = await exported(from);
  const { learning, history: lines } = JSON.parse(`${line}`);
  return [
    header,
    JSON.stringify({ learning: { ...learning, ...row }, history: [{ ...lines[0], ...history }] }),
  ].join("\n");
}

test("LEARN-4: what a file says was made, used or changed in the future is taken as of now, and told", async () => {
  const future = "2027-05-05T00:00:00.000Z";
  const times = { created_at: future, last_used_at: future, validated_at: future, updated_at: future };
  const report = await actionsOn(db, start).import(await forged(times, { at: future }), approved);
  expect(report).toMatchObject({ imported: 1, redated: 1 });
  const [learning] = await listLearnings(db);
  const now = start.toISOString();
  expect(learning).toMatchObject({ createdAt: now, lastUsedAt: now, validatedAt: now, updatedAt: now });
  expect((await actionsOn(db).history(`${learning?.id}`)).history).toMatchObject([{ at: now }, { at: now }]);
  // Clocks differ a little; that passes by itself.
  const soon = new Date(start.getTime() + 3_600_000).toISOString();
  const other = await openTempStore();
  expect(await actionsOn(other, start).import(await forged({ created_at: soon }), approved)).toMatchObject({
    redated: 0,
  });
  expect(await listLearnings(other)).toMatchObject([{ createdAt: soon }]);
});

test("TRUST-4: a forged export is taken as far as it can be, and what comes of it can be worked with", async () => {
  const citations = Array.from({ length: 500 }, (_, n) => ({ path: `f${n}.ts`, lines: null, hash: "x" }));
  const actions = actionsOn(db);
  const text = await forged(
    { status_before: "sacred", citations: JSON.stringify(citations), id: "l-aaaaaa" },
    { number: 1e300 },
  );
  expect(await actions.import(`\uFEFF${text}`, { approved: false, origin: "theirs" })).toMatchObject({
    imported: 1,
    problems: [],
  });
  expect((await actions.approve(["l-aaaaaa"]))[0]).toMatchObject({ status: "active" });
  await actions.edit("l-aaaaaa", { category: "pitfall" });
  const { learning, history } = await actions.history("l-aaaaaa");
  expect(learning.citations.length).toBeLessThanOrEqual(5);
  expect(history.map(({ number, change }) => [number, change])).toEqual([
    [1, "imported"],
    [2, "approved"],
    [3, "edited"],
  ]);
  const quarantined = await forged({ status: "quarantined", status_before: "quarantined", id: "l-bbbbbb" });
  await actions.import(quarantined, { approved: false, origin: "theirs" });
  await actions.approve(["l-bbbbbb"]);
  expect(await actions.get("l-bbbbbb")).toMatchObject({ status: "active" });
});

test("TRUST-1, TRUST-7: no text of an import brings secrets or control characters into the store", async () => {
  const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const outside = `red\u001b[31m ${secret}`;
  const list = JSON.stringify([outside]);
  const texts = {
    content: `Leap days need UTC: ${outside}`,
    detail: outside,
    category: outside,
    topic: outside,
  };
  const lists = { relevance_tags: list, files: list, fixes: list };
  await actionsOn(db).import(await forged({ ...texts, ...lists }), approved);
  const row = await db.get(
    "SELECT category, content, detail, topic, relevance_tags, files, fixes, signature FROM learnings JOIN learning_signatures ON learning_id = id",
  );
  expect(Object.values(row ?? {})).toHaveLength(8);
  for (const cell of Object.values(row ?? {})) {
    expect(cell).toContain("red");
    expect(cell).not.toContain(secret);
    expect(cell).not.toMatch(/u001b|\p{Cc}/u);
  }
});
