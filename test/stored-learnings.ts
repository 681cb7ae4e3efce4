import { safe } from "../src/base/safe-text.ts";
import { byCommand, type LearningActions, openLearningActions } from "../src/memory/learning-actions.ts";
import type { Learning } from "../src/memory/learnings/store/learning.ts";
import { newLearning, putLearnings } from "../src/memory/learnings/store/learning-store.ts";
import { storableName, tidyTags } from "../src/memory/learnings/store/learning-text.ts";
import { type MemoryActions, openMemoryActions } from "../src/memory/memory-actions.ts";
import type { Db } from "../src/store/port/db.ts";

export const day = 86_400_000;
export const start: Date = new Date("2026-01-01T00:00:00.000Z");

/** A year later: nothing that a test writes lies in the future. */
export const actionsOn = (store: Db, now: Date = new Date(start.getTime() + 365 * day)): LearningActions =>
  openLearningActions({ db: store, root: "/nonexistent", now: () => now });

export const memoryOf = (store: Db): MemoryActions => openMemoryActions({ db: store, now: () => start });

/** The lines of an export of the store's learnings. */
export async function exported(store: Db): Promise<readonly string[]> {
  const lines: string[] = [];
  await memoryOf(store).export((line) => void lines.push(line));
  return lines;
}

/** The lines of an export without the arrival that an import added to each history. */
export function withoutArrivals(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/,\{[^{}]*"change":"imported"[^{}]*\{[^{}]*\}"\}(?=\]\}$)/, ""));
}

/** Records attempts on each of so many days from `start` on: what ages, ages with the project's use. */
export async function useDaily(store: Db, days: number, from: Date = start): Promise<void> {
  await store.transaction(async (tx) => {
    for (let n = 0; n < days; n += 1) {
      const at = new Date(from.getTime() + n * day).toISOString().slice(0, 10);
      await tx.run("INSERT INTO memory_rollups VALUES (?, 'm', 'easy', 'none', 1, 1, 0, 0)", [at]);
    }
  });
}

type TextField = "category" | "detail" | "files" | "fixes" | "lesson" | "tags" | "topic";

/** A learning with plain texts, which become safe as they do where people and agents state them. */
export interface StatedLearning extends Partial<Omit<Learning, TextField>> {
  readonly lesson: string;
  readonly detail?: string;
  readonly category?: string;
  readonly topic?: string | null;
  readonly tags?: readonly string[];
  readonly files?: readonly string[];
  readonly fixes?: readonly string[];
}

/** Stores learnings of agents that a person confirmed, one a second from `start` on. */
export async function fill(store: Db, learnings: readonly StatedLearning[]): Promise<void> {
  await store.transaction(async (tx) => {
    for (const [at, stated] of learnings.entries()) {
      const { lesson, detail = "", category, topic, tags = [], files = [], fixes = [], ...more } = stated;
      const made = {
        lesson,
        detail,
        category: storableName(category ?? "") || safe`other`,
        topic: storableName(topic ?? "") || null,
        tags: tidyTags(tags),
        files: tidyTags(files),
        fixes: fixes.map(storableName),
        provenance: byCommand({ taskId: `t-${at % 50}`, runId: `run-${at % 7}` }),
      };
      const now = new Date(start.getTime() + at * 1000);
      const learning = { ...(await newLearning(tx, made, now)), provenAt: now.toISOString(), ...more };
      await putLearnings(tx, [{ learning, change: "captured", by: "agent" }], { runId: null, now });
    }
  });
}
