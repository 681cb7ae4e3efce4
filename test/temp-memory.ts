import { byCommand, type LearningActions, openLearningActions } from "../src/memory/learning-actions.ts";
import type { Learning, NewLearning } from "../src/memory/learnings/store/learning.ts";
import { newLearning, putLearnings } from "../src/memory/learnings/store/learning-store.ts";
import { storableName, tidyTags } from "../src/memory/learnings/store/learning-text.ts";
import { historyOf } from "../src/memory/learnings/store/read-learnings.ts";
import type { MaintenanceRequest } from "../src/memory/port/memory-kind.ts";
import type { Db } from "../src/store/port/db.ts";
import { openTempStore } from "./temp-store.ts";

const day = 86_400_000;
export const start: Date = new Date("2026-01-01T00:00:00.000Z");
/** The time so many days after `start`. */
export const after = (days: number): Date => new Date(start.getTime() + days * day);
/** The periods of LEARN-9, and the difficulty of every task. */
export const periods: Pick<MaintenanceRequest, "prune" | "difficultyOf"> = {
  prune: { reportsMs: 7 * day, learningsMs: 90 * day, unusedMs: 30 * day },
  difficultyOf: async (): Promise<string> => "hard",
};

/** Plain texts become safe as they do where people and agents state them. */
type LearningChanges = Partial<
  Omit<NewLearning, "category" | "tags"> & { readonly category: string; readonly tags: readonly string[] }
>;

interface TempMemory {
  readonly db: Db;
  readonly actions: LearningActions;
  /** Stores a learning that task t-1 of run-1 captured. */
  add(lesson: string, more?: LearningChanges, now?: Date): Promise<Learning>;
  /** A learning's changes, oldest first, with who made them. */
  life(id: string): Promise<readonly string[]>;
}

/** The memory of a new store, gone when the test ends. */
export async function openTempMemory(): Promise<TempMemory> {
  const db = await openTempStore();
  return {
    db,
    actions: openLearningActions({ db, root: "/nonexistent", now: () => start }),
    add: (lesson, { category = "pitfall", tags = ["parser", "dates"], ...more } = {}, now = start) => {
      const provenance = { ...byCommand({ taskId: "t-1", runId: "run-1" }), ...more.provenance };
      const made = { lesson, ...more, category: storableName(category), tags: tidyTags(tags), provenance };
      return db.transaction(async (tx) => {
        const learning = await newLearning(tx, made, now);
        await putLearnings(tx, [{ learning, change: "captured", by: "agent" }], { runId: "run-1", now });
        return learning;
      });
    },
    life: async (id) => (await historyOf(db, id)).map(({ change, by }) => `${change} by ${by}`),
  };
}
