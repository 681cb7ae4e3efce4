import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Db } from "../src/store/db.ts";
import { openStore } from "../src/store/open-store.ts";

/** A new project database in a folder of its own, gone when the test ends. */
export async function openTempStore(): Promise<Db> {
  const root = await mkdtemp(join(tmpdir(), "ralph-store-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return openTempStoreAt(root);
}

/** The database of the project at `root`, closed when the test ends. */
export async function openTempStoreAt(root: string): Promise<Db> {
  const db = await openStore({ path: join(root, ".ralph", "progress.db") });
  onTestFinished(() => db.close());
  return db;
}
