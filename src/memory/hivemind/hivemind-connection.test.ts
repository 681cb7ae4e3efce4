import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Db } from "../../store/port/db.ts";
import { connectHivemind, type HivemindConnection, openFile } from "./hivemind-connection.ts";
import { getShared, putShared } from "./shared-memory-store.ts";

function setUp(): { readonly path: string; readonly connection: HivemindConnection; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "ralph-hivemind-"));
  const path = join(folder, "hivemind.db");
  const connection = connectHivemind(path);
  onTestFinished(async () => {
    await connection.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const remove = (): void =>
    ["", "-wal", "-shm"].forEach((end) => void rmSync(`${path}${end}`, { force: true }));
  return { path, connection, remove };
}

const store = (connection: HivemindConnection, id: string): Promise<void> =>
  connection.use((db) =>
    db.transaction((tx) =>
      putShared(tx, [
        {
          ...{ id, type: "success", title: "Convert dates", content: "Use the parser.", tags: [] },
          ...{ project: "p", projectName: "ledger", signature: null, createdAt: "2026-03-01T10:00:00.000Z" },
        },
      ]),
    ),
  );
const ids = (connection: HivemindConnection): Promise<readonly unknown[]> =>
  connection.use(async (db) =>
    (await db.all("SELECT id FROM hivemind_memories ORDER BY id")).map((row) => row["id"]),
  );

/** Contents that an agent can write into the file with any program. */
async function plant(path: string, ...statements: readonly string[]): Promise<void> {
  const db = await openFile(path, false);
  await db.transaction(async (tx) => {
    for (const sql of statements) await tx.run(sql);
  });
  await db.close();
}

test("TRUST-12: of a planted text of any length, only a beginning is read", async () => {
  const { path, connection } = setUp();
  await store(connection, "h-1");
  await plant(
    path,
    "UPDATE hivemind_memories SET content = hex(zeroblob(5000000)), title = hex(zeroblob(5000000))",
  );
  const [found] = await connection.use((db) => getShared(db, ["h-1"]));
  expect(found?.content.length).toBeLessThan(100_000);
  expect(found?.title.length).toBeLessThan(100_000);
});

test("HIVE-4: calls in a row, and at the same time, use one connection until it is closed", async () => {
  const { connection } = setUp();
  const used = await Promise.all([connection.use(async (db) => db), connection.use(async (db) => db)]);
  used.push(await connection.use(async (db) => db));
  expect(new Set<Db>(used).size).toBe(1);
  await store(connection, "h-1");
  await connection.close();
  expect(used).not.toContain(await connection.use(async (db) => db));
  expect(await ids(connection)).toEqual(["h-1"]);
});

test("HIVE-4: a file that was deleted or replaced in the meantime is opened again, and nothing goes to the old one", async () => {
  const { path, connection, remove } = setUp();
  await store(connection, "h-1");
  remove();
  await store(connection, "h-2");
  expect(await ids(connection)).toEqual(["h-2"]);
  remove();
  const other = connectHivemind(path);
  await store(other, "h-3");
  expect(await ids(connection)).toEqual(["h-3"]);
  await other.close();
  await store(connection, "h-4");
  await connection.close();
  expect(await ids(connection)).toEqual(["h-3", "h-4"]);
});

test("HIVE-4: after an error the next call opens the file again", async () => {
  const { path, connection } = setUp();
  writeFileSync(path, "not a database\n".repeat(1000));
  await expect(store(connection, "h-1")).rejects.toMatchObject({ code: "RALPH_STORE_CORRUPT" });
  await expect(ids(connection)).rejects.toMatchObject({ code: "RALPH_STORE_CORRUPT" });
  rmSync(path);
  await store(connection, "h-2");
  expect(await ids(connection)).toEqual(["h-2"]);
});
