import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { packMemory } from "../src/context/budget.ts";
import { byCommand, openLearningActions } from "../src/memory/learning-actions.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { sampleTask } from "../test/sample-prompt.ts";
import { fillLearnings } from "./fill-learnings.ts";
import { createTexts, type Texts } from "./retrieval/texts.ts";
import { type Times, timed } from "./timed.ts";

/**
 * What the product does in a store of its own that holds so many: a recall for a task, its section of the prompt
 * included; and what `ralph memory store` does, row, history, index, event and cited files.
 */
export interface WholePath {
  readonly documents: number;
  readonly recall: Times;
  /** Of the store's file, the log of events not counted. */
  readonly bytesPerDocument: number;
  readonly durable: Times;
  /** The same without the wait for the disk, which no learning gets: what is ralph's own of it. */
  readonly unsynced: Times;
  readonly load: number;
}

const rounds = 300;
const warming = 100;

/** Fills a store and measures in a process of its own, as `program` with these arguments does; null: in this one. */
export async function measureWholePath(
  documents: number,
  program: readonly string[] | null,
): Promise<WholePath> {
  const root = await mkdtemp(join(tmpdir(), "ralph-store-"));
  try {
    await mkdir(join(root, ".ralph"));
    await fillLearnings(root, documents, createTexts(documents));
    if (program === null) return await storeLearnings(root, documents);
    const args = [...program, "--whole", root, "--documents", `${documents}`];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as WholePath;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** In the process that measures. */
export async function storeLearnings(root: string, documents: number): Promise<WholePath> {
  const db = await openStore({ path: join(root, ".ralph", "progress.db") });
  const texts = createTexts(documents + 1);
  const store = async (to: Db): Promise<void> => {
    const text = texts.learning();
    const files = [text.slice(text.lastIndexOf(" ") + 1)];
    await openLearningActions({ db: to, root, now: () => new Date() }).store({
      ...{ text, files, category: "pitfall", tags: ["parser", "topic 3"], scope: "project", topic: null },
      provenance: byCommand({ taskId: "t-3", runId: null }),
    });
  };
  const unsynced: Db = { ...db, transaction: (work) => db.transaction(work, { durable: false }) };
  const bytes = statSync(join(root, ".ralph", "progress.db")).size;
  const recall = await recaller(db, root, texts);
  try {
    await timed(warming, recall);
    const recalled = await timed(rounds, recall);
    await timed(warming, () => store(db));
    return {
      documents,
      recall: recalled,
      bytesPerDocument: bytes / documents,
      durable: await timed(rounds, () => store(db)),
      unsynced: await timed(rounds, () => store(unsynced)),
      load: loadavg()[0] ?? 0,
    };
  } finally {
    await db.close();
  }
}

/** Recalls for one made-up task after the other, and packs what is found as the prompt has it. */
async function recaller(db: Db, root: string, texts: Texts): Promise<(round: number) => Promise<void>> {
  const { learningMemory } = await import("../src/memory/learnings/learning-memory.ts");
  const kind = learningMemory({ root, now: () => new Date(), maxLearnings: 5, holdout: 0 });
  const run = { attempt: 1, runId: "run" };
  return async (round) => {
    const { title, description, files } = texts.query();
    const task = sampleTask({ id: `task ${round}`, title, description, files });
    const request = { ...run, task, iteration: round, seed: "seed-1" };
    packMemory(await kind.recall(db, request), { chars: 5000, sections: {} }, request.seed);
  };
}
