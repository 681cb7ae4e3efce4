import { expect, test, vi } from "vitest";
import { type FakeEndpoint, fakeEndpoint } from "../../../../test/embedding-endpoint.ts";
import { sampleTask } from "../../../../test/sample-prompt.ts";
import { scaledLimit } from "../../../../test/scaled-limit.ts";
import { fill } from "../../../../test/stored-learnings.ts";
import { openTempStore } from "../../../../test/temp-store.ts";
import { safe } from "../../../base/safe-text.ts";
import { openMeaning } from "../../../search/meaning.ts";
import { storedVectors } from "../../../search/prune-vectors.ts";
import type { Db } from "../../../store/db.ts";
import { createTask } from "../../../tasks/task-store.ts";
import type { OpenedKind } from "../../memory-kind.ts";
import { learningMemory } from "../learning-memory.ts";
import { learningMaintenance } from "../maintain-learnings.ts";
import { findLearnings } from "./find-learnings.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
/** By words the first fits a task on tokens a little better; by meaning the second. */
const byWords = safe`Login tokens expire at midnight, so login token tests need a fixed clock.`;
const byMeaning = safe`Login token tests of a session must not renew it: the proxy does.`;
const others = [safe`The login page of the tests has a dark mode.`, safe`Logs of login tests go to syslog.`];
const task = sampleTask({ id: "t-90", title: "Mend the login token tests" });
const vectorOf = (text: string): readonly number[] => (/proxy|^Mend/.test(text) ? [1, 0] : [0, 1]);

async function storeOf(lessons: readonly (typeof byWords)[]): Promise<Db> {
  const db = await openTempStore();
  await fill(
    db,
    lessons.map((lesson) => ({ lesson })),
  );
  return db;
}

const setup = { root: "/nonexistent", now: () => now, maxLearnings: 5, holdout: 0 };

const openBy = (
  { by }: FakeEndpoint,
  more: { asksEndpoint?: boolean; onTrouble?: (why: string) => void } = {},
) => learningMemory({ ...setup, ...more, embeddings: by });

async function firstOf(kind: OpenedKind, db: Db): Promise<string> {
  const [section] = await kind.recall(db, { task, attempt: 1, runId: "run-2", iteration: 2, seed: "seed-1" });
  return section?.items[0]?.label ?? "";
}

test("LEARN-4: a recall does not wait for vectors, asks for them once, and later ones use them", async () => {
  const db = await storeOf([byWords, byMeaning, ...others]);
  const endpoint = await fakeEndpoint(vectorOf);
  const kind = openBy(endpoint);
  expect(await firstOf(kind, db)).toContain("clock");
  await vi.waitFor(async () => expect(await firstOf(kind, db)).toContain("proxy"));
  expect(endpoint.inputs).toHaveLength(1);
  expect(endpoint.inputs[0]).toHaveLength(5);
  expect(endpoint.inputs[0]?.[0]).toBe(task.title);
});

test("LEARN-4: vectors are stored once per text and model: another process uses them without the endpoint", async () => {
  const db = await storeOf([byWords, byMeaning, ...others]);
  const endpoint = await fakeEndpoint(vectorOf);
  const kind = openBy(endpoint);
  await vi.waitFor(async () => expect(await firstOf(kind, db)).toContain("proxy"));
  await kind.finishCapture?.(db);
  expect(await storedVectors(db)).toBe(5);
  endpoint.behave("hangs");
  expect(await firstOf(openBy(endpoint), db)).toContain("proxy");
  expect(endpoint.inputs).toHaveLength(1);
  const bytes = await db.get<{ vector: Uint8Array }>(
    "SELECT vector FROM text_vectors WHERE vector <> ? LIMIT 1",
    [new Uint8Array()],
  );
  expect([...(bytes?.vector ?? [])]).toHaveLength(8);
  // Another model knows nothing of these vectors.
  const renamed = { ...endpoint, by: { ...endpoint.by, model: "other", timeoutMs: 50 } };
  expect(await firstOf(openBy(renamed), db)).toContain("clock");
});

test.each([["hangs" as const], [500]])(
  "LEARN-4: an endpoint that %s delays no recall and is reported",
  async (behaviour) => {
    const db = await storeOf([byWords, byMeaning, ...others]);
    const endpoint = await fakeEndpoint(behaviour);
    const troubles: string[] = [];
    const slow = { ...endpoint, by: { ...endpoint.by, timeoutMs: 600 } };
    const kind = openBy(slow, { onTrouble: (why) => troubles.push(why) });
    const start = performance.now();
    expect(await firstOf(kind, db)).toContain("clock");
    await kind.prefetch?.(db, task);
    expect(await firstOf(kind, db)).toContain("clock");
    await kind.finishCapture?.(db);
    expect(performance.now() - start).toBeLessThan(scaledLimit(550));
    await vi.waitFor(() => expect(troubles).toHaveLength(1), { timeout: 3000 });
    expect(troubles[0]).toMatch(/^127\.0\.0\.1:\d+: \S/);
    // The next recall asks again.
    endpoint.behave(vectorOf);
    await vi.waitFor(async () => expect(await firstOf(kind, db)).toContain("proxy"));
  },
);

test("LEARN-4: the end of a run waits for no request", async () => {
  const db = await storeOf([byWords, byMeaning, ...others]);
  const troubles: string[] = [];
  const kind = openBy(await fakeEndpoint("hangs"), { onTrouble: (why) => troubles.push(why) });
  await firstOf(kind, db);
  const start = performance.now();
  await kind.finishCapture?.(db, { signal: new AbortController().signal });
  expect(performance.now() - start).toBeLessThan(scaledLimit(500));
  expect(troubles).toEqual([]);
});

test("LEARN-4: the vectors of the next task are asked for while an agent works", async () => {
  const db = await storeOf([byWords, byMeaning, ...others]);
  await db.transaction((tx) => createTask(tx, { id: task.id, title: task.title }, now));
  const endpoint = await fakeEndpoint(vectorOf);
  const kind = openBy(endpoint);
  await kind.finishCapture?.(db);
  await vi.waitFor(() => expect(endpoint.inputs).toHaveLength(1));
  await vi.waitFor(async () => expect(await firstOf(kind, db)).toContain("proxy"));
  expect(endpoint.inputs).toHaveLength(1);
});

test("LEARN-4: a preview sends nothing, and uses the vectors that are stored", async () => {
  const db = await storeOf([byWords, byMeaning, ...others]);
  const endpoint = await fakeEndpoint(vectorOf);
  expect(await firstOf(openBy(endpoint, { asksEndpoint: false }), db)).toContain("clock");
  expect(endpoint.inputs).toEqual([]);
  const kind = openBy(endpoint);
  await vi.waitFor(async () => expect(await firstOf(kind, db)).toContain("proxy"));
  await kind.finishCapture?.(db);
  expect(await firstOf(openBy(endpoint, { asksEndpoint: false }), db)).toContain("proxy");
});

test("LEARN-4: two or three candidates are ordered without the endpoint", async () => {
  const db = await storeOf([byWords, byMeaning, others[0] ?? byWords]);
  const endpoint = await fakeEndpoint(vectorOf);
  const kind = openBy(endpoint);
  await firstOf(kind, db);
  await kind.prefetch?.(db, task);
  await new Promise((done) => setTimeout(done, 50));
  expect(endpoint.inputs).toEqual([]);
});

test("LEARN-4: a search by a person waits for the endpoint, sends a text once, and says why it failed", async () => {
  const db = await storeOf([byWords, byMeaning, ...others]);
  const endpoint = await fakeEndpoint(vectorOf);
  const find = async (meaning = openMeaning(endpoint.by)) => {
    const found = await findLearnings(db, {
      text: task.title,
      limit: 5,
      now,
      scope: null,
      tags: [],
      meaning,
    });
    await meaning.save(db);
    return found;
  };
  expect((await find()).found[0]?.line).toContain("proxy");
  expect((await find()).found[0]?.line).toContain("proxy");
  expect(endpoint.inputs).toHaveLength(1);
  endpoint.behave(500);
  const other = openMeaning({ ...endpoint.by, model: "other" });
  expect((await find(other)).problem).toMatch(/^not ranked by meaning: 127\.0\.0\.1:\d+: .*500/);
});

test("LEARN-8: maintenance deletes the vectors of texts that are gone, and keeps those of learnings and tasks", async () => {
  const db = await storeOf([byWords, byMeaning, ...others]);
  await db.transaction((tx) => createTask(tx, { id: task.id, title: task.title }, now));
  const meaning = openMeaning((await fakeEndpoint(vectorOf)).by);
  const find = { limit: 5, now, scope: null, tags: [], meaning };
  await findLearnings(db, { ...find, text: task.title });
  await findLearnings(db, { ...find, text: "login token tests that nobody keeps" });
  await meaning.save(db);
  expect(await storedVectors(db)).toBe(6);
  const prune = learningMaintenance.find(({ step }) => step === "vectors");
  await prune?.run({ db } as Parameters<typeof prune.run>[0]);
  expect(await storedVectors(db)).toBe(5);
  await db.transaction((tx) => tx.run("DELETE FROM learnings WHERE content = ?", [byWords]));
  await prune?.run({ db } as Parameters<typeof prune.run>[0]);
  expect(await storedVectors(db)).toBe(4);
});
