import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { sha256 } from "../src/base/hash.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { isPostgresUrl } from "../src/store/port/is-postgres-url.ts";

/** A new project database in a folder of its own, gone when the test ends. */
export async function openTempStore(): Promise<Db> {
  const root = await mkdtemp(join(tmpdir(), "ralph-store-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return openTempStoreAt(root);
}

/** The database of the project at `root`, closed when the test ends. */
export async function openTempStoreAt(root: string): Promise<Db> {
  const path = serverStore(root) ?? join(root, ".ralph", "progress.db");
  await putNewStore(path);
  const db = await openStore({ path });
  onTestFinished(() => db.close());
  return db;
}

/** The address of a project's store on the server of `npm run test:postgres`; undefined: it is a file. */
function serverStore(root: string): string | undefined {
  const server = process.env["RALPH_TEST_POSTGRES_URL"];
  return server && `${server}?schema=t_${sha256(root).slice(0, 20)}`;
}

let bytesOfNewStore: Promise<Buffer> | undefined;

/** Puts a new, migrated database at `path`, where none is. The migrations run once for each process, not for each test. */
export async function putNewStore(path: string): Promise<void> {
  if (isPostgresUrl(path) || existsSync(path)) return;
  bytesOfNewStore ??= makeNewStore();
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await bytesOfNewStore, { mode: 0o600 });
}

async function makeNewStore(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "ralph-new-store-"));
  try {
    const path = join(folder, "progress.db");
    // The migrations come before the write-ahead log: all their rows are in this one file.
    await (await openStore({ path })).close();
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
