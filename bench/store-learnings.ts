import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openDesk, typedBy } from "../src/memory/manage-learnings.ts";
import type { Db } from "../src/store/db.ts";
import { openStore } from "../src/store/open-store.ts";
import { fillLearnings } from "./fill-learnings.ts";
import { createTexts } from "./retrieval/texts.ts";
import { type Times, timed } from "./timed.ts";

/** What `ralph memory store` does, in a store that holds so many: row, history, index, event, cited files. */
export interface WholePath {
  readonly documents: number;
  readonly durable: Times;
  /** The same without the wait for the disk, which no learning gets: what is ralph's own of it. */
  readonly unsynced: Times;
  readonly load: number;
}

const rounds = 300;
const warming = 100;

/** Fills a store and measures in a process of its own, as `program` with these arguments does. */
export async function measureWholePath(documents: number, program: readonly string[]): Promise<WholePath> {
  const root = await mkdtemp(join(tmpdir(), "ralph-store-"));
  try {
    await mkdir(join(root, ".ralph"));
    await fillLearnings(root, documents, createTexts(documents));
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
    await openDesk({ db: to, root, now: () => new Date() }).store({
      ...{ text, files, category: "pitfall", tags: ["parser", "topic 3"], scope: "project", topic: null },
      provenance: typedBy({ taskId: "t-3", runId: null }),
    });
  };
  const unsynced: Db = { ...db, transaction: (work) => db.transaction(work, { durable: false }) };
  try {
    await timed(warming, () => store(db));
    return {
      documents,
      durable: await timed(rounds, () => store(db)),
      unsynced: await timed(rounds, () => store(unsynced)),
      load: loadavg()[0] ?? 0,
    };
  } finally {
    await db.close();
  }
}
