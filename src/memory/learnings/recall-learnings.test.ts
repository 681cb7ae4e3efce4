import { beforeEach, expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Db } from "../../store/port/db.ts";
import { createTask } from "../../tasks/graph/task-store.ts";
import { byCommand, openLearningActions } from "../learning-actions.ts";
import { openMemory } from "../memory.ts";
import type { Recalled } from "../port/memory-kind.ts";
import { putLearnings } from "./store/learning-store.ts";
import { getLearnings } from "./store/read-learnings.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const root = "/nonexistent";
let db: Db;

beforeEach(async () => {
  db = await openTempStore();
});

async function store(text: string): Promise<string> {
  const actions = openLearningActions({ db, root, now: () => now });
  const plain = { category: "pitfall", tags: [], files: [], scope: "project", topic: null };
  const { learning } = await actions.store({ ...plain, text, provenance: byCommand(null) });
  return learning.id;
}

async function recall(title: string): Promise<Recalled | undefined> {
  const task = await db.transaction((tx) => createTask(tx, { id: `t-${title.length}`, title }, now));
  const place = { runId: "run-2", iteration: 1, seed: "seed-1" };
  const memory = openMemory({ ...memorySetup, db, root });
  const all = await memory.recall({ task, attempt: 1, ...place });
  return all.find(({ section }) => section === "learnings");
}

const shownIds = (recalled: Recalled | undefined): readonly string[] =>
  (recalled?.items ?? []).map(({ id }) => `${id}`);

const unrelated = [
  "The invoice PDF needs embedded fonts, or printing fails at the customer.",
  "Widgets redraw on focus events, so debounce the handler.",
  "Redis connections leak when the pool is not closed after a test.",
  "The CSS grid breaks in Safari 14 without a fallback.",
  "Docker builds need buildkit for the cache mounts.",
  "Migrations run in alphabetical order, so prefix them with numbers.",
  "The login page loads slowly because of the analytics script.",
];

test("LEARN-4: beside one that fits, new ones that do not are left out, and told", async () => {
  const fits = await store("Leap days need UTC in the date parser.");
  for (const text of unrelated) await store(text);
  const recalled = await recall("Make the date parser accept leap days");
  expect(shownIds(recalled)).toEqual([fits]);
  expect(recalled?.leftOut?.some(({ reason }) => reason.startsWith("weak match"))).toBe(true);
});

test("LEARN-4: a task in another script is told what is said in it, and nothing that shares no word with it", async () => {
  const fits = await store("令牌解析器必须先规范化换行符，否则在 Windows 上会失败的问题");
  for (const text of unrelated) await store(text);
  expect(shownIds(await recall("令牌解析器 换行符 修复"))).toEqual([fits]);
});

test("LEARN-5: a learning that agents called harmful more often than helpful says so", async () => {
  const id = await store("Leap days need UTC in the date parser.");
  const text = async (): Promise<string> =>
    `${(await recall(`Make the date parser accept leap days${" ".repeat(said)}`))?.items[0]?.text}`;
  let said = 1;
  for (const [saidHarmful, expected] of [
    [1, false],
    [3, true],
  ] as const) {
    said += 1;
    const [learning] = await getLearnings(db, [id]);
    if (!learning) throw new Error(id);
    const change = {
      learning: { ...learning, saidHelpful: 1, saidHarmful },
      change: "edited",
      by: "person",
    } as const;
    await db.transaction((tx) => putLearnings(tx, [change], { runId: null, now }));
    expect((await text()).includes("misled 3 times before: doubt it")).toBe(expected);
  }
});
