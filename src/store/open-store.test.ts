import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testSize } from "../../test/test-size.ts";
import { RalphError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { openStore } from "./open-store.ts";
import { openConnection } from "./sqlite/connection.ts";
import { schemaVersion } from "./sqlite/schema-version.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ralph-store-"));
  path = join(folder, ".ralph", "progress.db");
});

afterEach(() => rm(folder, { recursive: true }));

/** In a file of its own, without side files: a copy, as connections leave theirs until the process ends. */
async function fill(count = 200): Promise<void> {
  const db = await openStore({ path });
  await db.transaction(async (tx) => {
    for (let n = 0; n < count; n += 1) {
      await tx.run("INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, '', '')", [
        `t-${n}`,
        "x".repeat(200),
      ]);
    }
  });
  await db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  await db.close();
  const whole = await readFile(path);
  for (const side of ["", "-wal", "-shm"]) await rm(`${path}${side}`, { force: true });
  await writeFile(path, whole, { mode: 0o600 });
}

const mode = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;
const hash = async (): Promise<string> => sha256(await readFile(path));

async function refused(code: string): Promise<RalphError> {
  const error = await openStore({ path }).then(
    async (db) => {
      await db.close();
      return undefined;
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RalphError);
  const refusal = error as RalphError;
  expect(refusal.code).toBe(code);
  expect(refusal.message).toContain(path);
  expect(refusal.hint).toBeTruthy();
  return refusal;
}

async function sql(text: string): Promise<void> {
  const connection = await openConnection(path, { readOnly: false });
  connection.exec(text);
  connection.close();
}

test("TRUST-6: a new store and its side files are private", async () => {
  const db = await openStore({ path });
  await db.transaction((tx) => tx.run("INSERT INTO runs (id, started_at) VALUES ('r', '')"));
  expect(await mode(join(folder, ".ralph"))).toBe(0o700);
  for (const name of await readdir(join(folder, ".ralph")))
    expect(await mode(join(folder, ".ralph", name))).toBe(0o600);
  expect(await readdir(join(folder, ".ralph"))).toContain("progress.db-wal");
  await db.close();
});

test("an existing file keeps its mode", async () => {
  await fill(1);
  await chmod(path, 0o640);
  await openStore({ path }).then((db) => db.close());
  expect(await mode(path)).toBe(0o640);
});

test("a missing store is created only when creation is allowed", async () => {
  for (const options of [{ create: false }, { readOnly: true }]) {
    await expect(openStore({ path, ...options })).rejects.toMatchObject({ code: "RALPH_STORE_MISSING" });
  }
  expect(await readdir(folder)).toEqual([]);
});

test("opening ten times at once in one process creates one store", async () => {
  const stores = await Promise.all(Array.from({ length: 10 }, () => openStore({ path })));
  for (const db of stores) expect(await db.get("SELECT count(*) AS n FROM tasks")).toEqual({ n: 0 });
  await Promise.all(stores.map((db) => db.close()));
});

test("TRUST-8: a read-only store can be read and refuses writes", async () => {
  await fill(1);
  const db = await openStore({ path, readOnly: true });
  expect(await db.get("SELECT count(*) AS n FROM tasks")).toEqual({ n: 1 });
  await expect(db.transaction((tx) => tx.run("DELETE FROM tasks"))).rejects.toMatchObject({
    code: "RALPH_STORE_READ_ONLY",
    message: expect.stringContaining(path),
  });
  await db.close();
});

test("TRUST-8: a store that may not be migrated is read as it is, or refused unchanged", async () => {
  const asItIs = { path, readOnly: true, migrate: false };
  await fill(1);
  const db = await openStore(asItIs);
  expect(await db.get("SELECT count(*) AS n FROM tasks")).toEqual({ n: 1 });
  await db.close();
  for (const side of ["-wal", "-shm"]) await rm(`${path}${side}`, { force: true });
  await truncate(path, 0);
  await expect(openStore(asItIs)).rejects.toMatchObject({ code: "RALPH_STORE_INCOMPLETE" });
  expect((await stat(path)).size).toBe(0);
});

test("TASK-6: a newer schema is refused and its file is unchanged", async () => {
  await fill(1);
  await sql(`PRAGMA user_version = ${schemaVersion + 1}`);
  const before = await hash();
  const error = await refused("RALPH_STORE_NEWER");
  expect(error.message).toContain(`schema ${schemaVersion + 1}`);
  expect(await hash()).toBe(before);
});

test("TASK-6: a newer schema that is still in the write-ahead log is refused", async () => {
  await fill(1);
  const other = await openConnection(path, { readOnly: false });
  other.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
  await refused("RALPH_STORE_NEWER");
  other.close();
});

test.each([
  ["without a version", "CREATE TABLE moz_places (id INTEGER)"],
  ["with a version like ours", "CREATE TABLE moz_places (id INTEGER); PRAGMA user_version = 2"],
])("a database of another program %s is refused and not touched", async (_, text) => {
  await mkdir(join(folder, ".ralph"));
  await writeFile(path, "");
  await sql(text);
  const before = await hash();
  expect((await refused("RALPH_STORE_FOREIGN")).message).toContain("moz_places");
  expect(await hash()).toBe(before);
});

test("TRUST-8: a text file is refused and kept", async () => {
  await mkdir(join(folder, ".ralph"));
  await writeFile(path, "my notes\n".repeat(1000));
  const before = await hash();
  expect((await refused("RALPH_STORE_CORRUPT")).hint).toContain("ralph doctor --repair");
  expect(await hash()).toBe(before);
});

test.each([50, 99, 100, 3000, 4096, 10_000])(
  "TRUST-8: a store cut off after %i bytes is refused and kept",
  async (size) => {
    await fill();
    await truncate(path, size);
    const before = await hash();
    expect((await refused("RALPH_STORE_CORRUPT")).hint).toContain("ralph doctor --repair");
    expect(await hash()).toBe(before);
  },
);

test("TRUST-8: an empty file is a new store only when no data was lost", async () => {
  await fill(1);
  await truncate(path, 0);
  const backups = join(folder, "backups");
  await mkdir(backups);
  await writeFile(join(backups, "2026-01-02T03-04-05-678Z.db"), "");
  const refusal = { hint: expect.stringContaining("ralph doctor --repair") };
  await expect(openStore({ path, backups })).rejects.toMatchObject({
    ...refusal,
    code: "RALPH_STORE_CORRUPT",
  });
  await rm(path);
  await expect(openStore({ path, backups })).rejects.toMatchObject({
    ...refusal,
    code: "RALPH_STORE_MISSING",
  });
  expect(await readdir(join(folder, ".ralph"))).toEqual([]);
  await openStore({ path }).then((db) => db.close());
  await truncate(path, 0);
  await openStore({ path }).then((db) => db.close());
  await truncate(path, 0);
  await writeFile(`${path}-wal`, "x".repeat(4096));
  await refused("RALPH_STORE_CORRUPT");
  expect(await readdir(join(folder, ".ralph"))).toEqual(["progress.db", "progress.db-wal"]);
});

test("TRUST-8: a folder is refused as a store", async () => {
  await mkdir(path, { recursive: true });
  expect((await refused("RALPH_STORE_PATH")).message).toContain("a folder");
});

test("TRUST-6: a symbolic link is refused as a store and as a side file", async () => {
  await fill(1);
  const store = path;
  path = join(folder, "link.db");
  await symlink(store, path);
  await refused("RALPH_STORE_PATH");
  await rm(path);
  await symlink(join(folder, "nowhere"), path);
  await refused("RALPH_STORE_PATH");
  path = store;
  await symlink(join(folder, "victim"), `${store}-wal`);
  await refused("RALPH_STORE_PATH");
  expect(await readdir(folder)).toEqual([".ralph", "link.db"]);
});

test("TRUST-8: a path through a file is an error that names it", async () => {
  await writeFile(join(folder, ".ralph"), "");
  await refused("RALPH_STORE_IO");
});

/** `RALPH_TEST_FLIPS=1000` for the long form. */
const flips = testSize("RALPH_TEST_FLIPS", 150);

test("TRUST-8: flipped bytes give correct rows or a RalphError, nothing else", async () => {
  await fill();
  const whole = await readFile(path);
  let reported = 0;
  for (let n = 0; n < flips; n += 1) {
    const bytes = Buffer.from(whole);
    const at = n < 100 ? n : (n * 2654435761) % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (n % 8));
    for (const side of ["", "-wal", "-shm"]) await rm(`${path}${side}`, { force: true });
    await writeFile(path, bytes);
    const error = await openStore({ path })
      .then(async (db) => {
        try {
          await db.all("SELECT * FROM tasks ORDER BY priority, id");
          await db.all("PRAGMA integrity_check");
        } finally {
          await db.close();
        }
      })
      .catch((reason: unknown) => reason);
    if (error === undefined) continue;
    reported += 1;
    expect(error, `byte ${at}: ${error}`).toBeInstanceOf(RalphError);
  }
  expect(reported).toBeGreaterThan(20);
});
