import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { safe } from "../src/base/safe-text.ts";
import { openEventLog } from "../src/events/event-log.ts";
import { byCommand } from "../src/memory/learning-actions.ts";
import { newLearning, putLearnings } from "../src/memory/learnings/store/learning-store.ts";
import { tidyTags } from "../src/memory/learnings/store/learning-text.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Texts } from "./retrieval/texts.ts";

const inOneGo = 1000;
const spreadMs = 60 * 86_400_000;

/**
 * Puts `count` learnings of the last 60 days into a project's store, by the product's own way: rows, history, index and
 * events in the log. Two tags each, one of 40 topics and one path, so that merging has something to do.
 */
export async function fillLearnings(root: string, count: number, texts: Texts): Promise<void> {
  const file = join(root, ".ralph", "events.jsonl");
  const db = await openStore({ path: join(root, ".ralph", "progress.db") });
  const log = openEventLog({ db, file, clock: systemClock, onFailure: console.error });
  const began = Date.now();
  try {
    for (let from = 0; from < count; from += inOneGo) {
      await db.transaction(async (tx) => {
        for (let at = from; at < Math.min(count, from + inOneGo); at += 1) {
          const lesson = texts.learning();
          const path = lesson.slice(lesson.lastIndexOf(" ") + 1);
          const now = new Date(began - spreadMs + (at * spreadMs) / count);
          const provenance = byCommand({ taskId: `t-${Math.floor(at / 5)}`, runId: null });
          const made = {
            category: safe`pitfall`,
            lesson,
            tags: tidyTags([`topic ${at % 40}`, path]),
            files: tidyTags([path]),
            provenance,
          };
          const learning = await newLearning(tx, made, now);
          await putLearnings(tx, [{ learning, change: "captured", by: "agent" }], { runId: null, now });
        }
      });
      await log.flush();
    }
  } finally {
    await db.close();
  }
}
