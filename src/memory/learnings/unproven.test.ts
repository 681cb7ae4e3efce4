import { beforeEach, expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { learnt, passed, sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { sampleTask } from "../../../test/sample-prompt.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { safe } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { recordOutcome } from "../../outcome/outcome-store.ts";
import type { Db } from "../../store/port/db.ts";
import { createTask, requireTask } from "../../tasks/graph/task-store.ts";
import { byCommand, byTool, type LearningActions, openLearningActions } from "../learning-actions.ts";
import { openMemory } from "../memory.ts";
import type { Memory } from "../port/memory.ts";
import type { Recalled } from "../port/memory-kind.ts";
import { learningMaintenance } from "./maintain-learnings.ts";
import { planMerges } from "./manage/summarize-learnings.ts";
import { historyOf, listLearnings } from "./store/read-learnings.ts";

const start = new Date("2026-03-01T10:00:00.000Z");
const day = 86_400_000;
const after = (days: number): Date => new Date(start.getTime() + days * day);
const error = safe`type_error:known`;
let db: Db;
let memory: Memory;

beforeEach(async () => {
  db = await openTempStore();
  memory = openMemory({ ...memorySetup, db });
  await db.transaction(async (tx) => {
    for (const id of ["t-1", "t-2", "t-3", "t-4", "t-5"])
      await createTask(tx, { id, title: "Parse ISO dates of the importer in UTC" }, start);
  });
});

const actionsAt = (now: Date): LearningActions =>
  openLearningActions({ db, root: "/nonexistent", now: () => now });

const lessonOf = (n: string): string => `Importer ${n}: ISO dates are parsed in UTC, or leap days fail.`;
const names = ["of orders", "for buyers", "behind the proxy", "at night"];

async function store(text: string, by: "person" | "agent" | "tool" = "agent", now = start): Promise<string> {
  const about = { category: "pitfall", topic: null, tags: ["dates"], files: [], scope: "project" };
  const iteration = by === "agent" ? { taskId: "t-1", runId: "run-1" } : null;
  const provenance = by === "tool" ? byTool(null, "claude") : byCommand(iteration);
  return (await actionsAt(now).store({ text, ...about, provenance })).learning.id;
}

async function recall(taskId = "t-2"): Promise<Recalled | undefined> {
  const task = await requireTask(db, taskId);
  const all = await memory.recall({ task, attempt: 1, runId: "run-2", iteration: 1, seed: "s" });
  return all.find(({ section }) => section === "learnings");
}

async function shown(): Promise<readonly string[]> {
  return (await recall())?.items.map(({ text }) => text) ?? [];
}

const capture = (outcome: Outcome): Promise<void> =>
  db.transaction(async (tx) => {
    await recordOutcome(tx, outcome);
    await memory.capture(tx, outcome, start);
  });

/** An attempt at a task whose prompt shows a learning. */
async function attempt(id: string, ending: Partial<Outcome>, taskId = "t-2"): Promise<void> {
  const ref = {
    taskId,
    attempt: 1,
    iterationId: `i-${taskId}-${ending.attempt ?? 1}`,
    runId: "run-2",
    model: "m",
  };
  const items = [{ section: "learnings", id, score: 1 }];
  await db.transaction((tx) => memory.recordShown(tx, { ...ref, prompt: "", items, withheld: [] }, start));
  await capture(sampleOutcome({ ...ref, ...ending }));
}

async function maintain(now: Date): Promise<void> {
  const step = learningMaintenance.find((one) => one.step === "unproven");
  await step?.run({ db, runId: null, now } as unknown as Parameters<typeof step.run>[0]);
}

const isProven = async (id: string): Promise<boolean> => (await actionsAt(start).get(id)).proven;

test("LEARN-12: what agents state is marked, below what is proven, and at most twice in a prompt", async () => {
  for (const name of names) await store(lessonOf(name), name === "at night" ? "tool" : "agent");
  await store("Importer rules: keep every ISO date of the importer in UTC.", "person");
  const section = await recall();
  const texts = section?.items.map(({ text }) => text) ?? [];
  expect(texts).toHaveLength(3);
  expect(texts[0]).toContain("from a person");
  expect(texts.map((text) => text.includes("unproven"))).toEqual([false, true, true]);
  expect(
    section?.leftOut?.filter(({ reason }) => reason.startsWith("beyond the limit of 2 unproven")),
  ).toHaveLength(2);
});

test("LEARN-12: verified successes of two tasks prove a learning that was shown to both; one does not, even after failures", async () => {
  const id = await store(lessonOf("of orders"));
  for (const task of ["t-1", "t-2", "t-3"]) await attempt(id, {}, task);
  await attempt(id, { ...passed, attempt: 2 }, "t-3");
  await attempt(id, { ...passed, attempt: 3 }, "t-3");
  expect((await shown())[0]).toContain("unproven");
  expect(await actionsAt(start).get(id)).toMatchObject({ shownPassed: 2, tasksPassed: 1, tasksFailed: 2 });
  await attempt(id, { ...passed, attempt: 2 }, "t-2");
  expect((await shown())[0]).not.toContain("unproven");
});

test("LEARN-12: a helpful verdict of one verified success proves a learning", async () => {
  const id = await store(lessonOf("of orders"));
  const { claims } = sampleOutcome();
  const memory = { ...claims.memory, verdicts: [{ id, helpful: true }] };
  await attempt(id, { ...passed, claims: { ...claims, memory } });
  expect(await isProven(id)).toBe(true);
});

test("LEARN-12: failed in two tasks a learning ranks last, in four it is withdrawn until a person looks", async () => {
  const [first = "", second = ""] = [await store(lessonOf("of orders")), await store(lessonOf("for buyers"))];
  const order = async (): Promise<readonly string[]> => (await recall())?.items.map(({ id }) => id) ?? [];
  const best = (await order())[0] === first ? first : second;
  // Again and again in one task is once.
  for (const number of [1, 2, 3, 4]) await attempt(best, { attempt: number }, "t-1");
  expect((await order())[0]).toBe(best);
  await attempt(best, {}, "t-2");
  expect(await order()).toEqual([best === first ? second : first, best]);
  for (const task of ["t-3", "t-4"]) await attempt(best, {}, task);
  expect(await order()).not.toContain(best);
  // The agent's word does not bring it back.
  await store((await actionsAt(start).get(best)).lesson);
  await capture(
    sampleOutcome({
      taskId: "t-1",
      attempt: 9,
      ...passed,
      claims: saying({ memory: learnt((await actionsAt(start).get(best)).lesson) }),
    }),
  );
  expect(await order()).not.toContain(best);
  expect((await actionsAt(start).list({ withdrawn: true })).map(({ id }) => id)).toEqual([best]);
  await actionsAt(start).approve([best]);
  await attempt(best, {}, "t-5");
  expect(await order()).toContain(best);
});

test.each(["success_pattern", "Success pattern"])(
  "LEARN-12: what an attempt believed that verification refuted is kept, and not shown, by sigil or tool: %s",
  async (category) => {
    const said = { ...learnt(lessonOf("of orders"), { category }) };
    const about = { category, topic: null, tags: ["dates"], files: [], scope: "project" };
    const provenance = byTool({ taskId: "t-1", runId: "run-1", iterationId: "i-t-1-1" }, "claude");
    await actionsAt(start).store({ text: lessonOf("for buyers"), ...about, provenance });
    const pitfall = learnt(lessonOf("at night")).learnings;
    const memory = { ...said, learnings: [...said.learnings, ...pitfall] };
    await capture(sampleOutcome({ taskId: "t-1", claims: saying({ memory }) }));
    expect((await shown()).map((text) => text.includes("at night"))).toEqual([true]);
    const kept = await listLearnings(db, { status: ["pruned"] });
    expect(kept).toHaveLength(2);
    expect((await historyOf(db, kept[0]?.id ?? "")).at(-1)).toMatchObject({ change: "refuted", by: "ralph" });
    // Said again by an attempt that verification confirms, it is a lesson like others.
    await capture(sampleOutcome({ taskId: "t-2", ...passed, claims: saying({ memory: said }) }));
    expect((await shown()).some((text) => text.includes("of orders"))).toBe(true);
  },
);

test("LEARN-12: a verified success that changed nothing proves nothing; its agent's word against it counts", async () => {
  const id = await store(lessonOf("of orders"));
  const { claims, work } = sampleOutcome();
  const unchanged = { ...passed, work: { ...work, files: [], changedPaths: [], changed: false } };
  const said = (helpful: boolean): Partial<Outcome> => ({
    ...unchanged,
    claims: { ...claims, memory: { ...claims.memory, verdicts: [{ id, helpful }] } },
  });
  await attempt(id, said(true));
  expect(await isProven(id)).toBe(false);
  await attempt(id, said(false), "t-3");
  expect(await actionsAt(start).get(id)).toMatchObject({ shownPassed: 0, saidHelpful: 0, saidHarmful: 1 });
});

test("LEARN-12: a verified success whose agent calls it harmful proves nothing, nor does a held-out one", async () => {
  const [harmful, held] = [await store(lessonOf("of orders")), await store(lessonOf("for buyers"))];
  const verdicts = [{ id: harmful, helpful: false }];
  const { claims } = sampleOutcome();
  await attempt(harmful, { ...passed, claims: { ...claims, memory: { ...claims.memory, verdicts } } });
  const ref = { taskId: "t-3", attempt: 1, iterationId: "i-t-3-1", runId: "run-2", model: "m" };
  const withheld = [{ section: "learnings", id: held }];
  await db.transaction((tx) => memory.recordShown(tx, { ...ref, prompt: "", items: [], withheld }, start));
  await capture(sampleOutcome({ ...ref, ...passed }));
  expect([await isProven(harmful), await isProven(held)]).toEqual([false, false]);
});

test("LEARN-12: a person proves a learning by approving, editing, confirming or stating it; an agent does not", async () => {
  const [approved = "", edited = "", validated = "", stated = ""] = await Promise.all(
    names.map((name) => store(lessonOf(name))),
  );
  const actions = actionsAt(start);
  await actions.validate(validated, "agent");
  await store(lessonOf("at night"));
  await actions.edit(edited, { tags: ["utc"] });
  for (const id of [approved, edited, validated, stated]) expect(await isProven(id)).toBe(false);
  await actions.approve([approved]);
  await actions.edit(edited, { text: "Importer: dates of buyers are parsed in UTC." });
  await actions.validate(validated, "person");
  await store(lessonOf("at night"), "person");
  for (const id of [approved, edited, validated, stated]) expect(await isProven(id)).toBe(true);
  await expect(actions.approve([approved])).rejects.toThrow("neither in quarantine nor unproven");
});

test("LEARN-12: an agent that says a person's lesson again adds neither tags nor a fix to it", async () => {
  const [stated, approved] = [
    await store(lessonOf("of orders"), "person"),
    await store(lessonOf("for buyers")),
  ];
  await actionsAt(start).approve([approved]);
  const lessons = async () =>
    (await listLearnings(db)).map(({ id, tags, fixes, timesSeen }) => ({ id, tags, fixes, timesSeen }));
  const before = await lessons();
  const about = { category: "pitfall", topic: null, tags: ["evil1"], files: [], scope: "project" };
  const memory = learnt(lessonOf("of orders"), { tags: ["evil2"] });
  await capture(sampleOutcome({ taskId: "t-1", signature: error }));
  await actionsAt(start).store({
    ...{ ...about, text: lessonOf("for buyers") },
    provenance: byCommand({ taskId: "t-1", runId: "run-1" }),
  });
  await capture(sampleOutcome({ taskId: "t-1", attempt: 2, ...passed, claims: saying({ memory }) }));
  await capture(sampleOutcome({ taskId: "t-2", signature: error }));
  const shown = { ...passed, attempt: 2, claims: saying({ memory: learnt(lessonOf("for buyers")) }) };
  await attempt(approved, shown);
  const after = (await lessons()).filter(({ id }) => [stated, approved].includes(id));
  expect(after).toEqual(before.map((one) => ({ ...one, timesSeen: 2 })));
});

test("LEARN-12: what stays unproven expires after 20 prompts, never by its age, and can be restored", async () => {
  const often = await store(lessonOf("for buyers"));
  const kept = await store(lessonOf("behind the proxy"));
  const unshown = await store(lessonOf("of orders"));
  const shownTimes = (id: string, times: number): Promise<unknown> =>
    db.transaction((tx) => tx.run("UPDATE learnings SET times_shown = ? WHERE id = ?", [times, id]));
  await shownTimes(often, 20);
  await shownTimes(kept, 19);
  await maintain(after(500));
  const usable = async () => (await listLearnings(db, { status: ["active"] })).map(({ id }) => id);
  expect(new Set(await usable())).toEqual(new Set([kept, unshown]));
  expect((await historyOf(db, often)).at(-1)).toMatchObject({ change: "expired", by: "ralph" });
  await actionsAt(after(500)).restore(often);
  await maintain(after(500));
  expect(await usable()).toContain(often);
  await shownTimes(kept, 20);
  await maintain(after(500));
  // An expired learning that is stated again starts over.
  await capture(
    sampleOutcome({ taskId: "t-3", claims: saying({ memory: learnt(lessonOf("behind the proxy")) }) }),
  );
  const again = (await listLearnings(db, { status: ["active"] })).find(({ lesson }) =>
    lesson.includes("proxy"),
  );
  expect(again).toMatchObject({ timesSeen: 1, timesShown: 0 });
  expect(again?.id).not.toBe(kept);
});

test("LEARN-12: the word of an agent does not become proven by a merge", async () => {
  const proven = new Set<string>();
  for (const [at, name] of [...names, "in Malta", "in Fiji"].entries()) {
    const id = await store(lessonOf(name));
    if (at % 2 === 0) continue;
    await actionsAt(start).approve([id]);
    proven.add(id);
  }
  const plans = await planMerges(db, 10);
  expect(plans.length).toBeGreaterThan(0);
  for (const { members } of plans) expect(new Set(members.map(({ id }) => proven.has(id))).size).toBe(1);
});

test("LEARN-12 FAIL-5: the known fix of the error stays first, with its mark", async () => {
  await store("Importer rules: keep every ISO date of the importer in UTC.", "person");
  await capture(sampleOutcome({ taskId: "t-1", signature: error }));
  const memory = learnt("Read the manual of the fonts before you paint a widget.");
  await capture(sampleOutcome({ taskId: "t-1", attempt: 2, ...passed, claims: saying({ memory }) }));
  await capture(sampleOutcome({ taskId: "t-2", signature: error }));
  const texts = await shown();
  expect(texts[0]).toContain("unproven, ended the error of your last attempt");
  expect(texts[1]).toContain("from a person");
});

test("LEARN-12 TRUST-4: a session of a person's gets at most two unproven learnings", async () => {
  for (const name of names) await store(lessonOf(name));
  const { recallForSession } = await import("./session-learnings.ts");
  const request = { prompt: sampleTask({ title: "Parse ISO dates of the importer in UTC" }).title, max: 5 };
  const found = await recallForSession(db, {
    ...request,
    exclude: new Set(),
    root: "/nonexistent",
    now: start,
  });
  expect(found.map(({ line }) => line.includes("unproven"))).toEqual([true, true]);
});
