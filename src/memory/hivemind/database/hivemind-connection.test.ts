import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Db } from "../../../store/db.ts";
import { connectHivemind, type HivemindConnection, openFile } from "./hivemind-connection.ts";
import { readHivemind } from "./open-hivemind.ts";
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

const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";

/** What an agent can write into the file with any program. */
async function plant(path: string, ...statements: readonly string[]): Promise<void> {
  const db = await openFile(path, false);
  await db.transaction(async (tx) => {
    for (const sql of statements) await tx.run(sql);
  });
  await db.close();
}

test("TRUST-12: planted triggers never run: not when it is open already, nor when it is opened or migrated", async () => {
  const { path, connection } = setUp();
  await store(connection, "h-1");
  const trigger = `CREATE TRIGGER evil AFTER INSERT ON hivemind_memories BEGIN
    UPDATE hivemind_memories SET tags = (SELECT COUNT(*) FROM (${endless})); END`;
  await plant(path, trigger);
  await store(connection, "h-2");
  await connection.close();
  await plant(path, trigger);
  await store(connection, "h-3");
  expect(await ids(connection)).toEqual(["h-1", "h-2", "h-3"]);
});

/** Takes hours. */
const slow = "instr(hex(zeroblob(20000000)), hex(zeroblob(10000000)) || 'b')";

test("TRUST-12: planted indexes of expressions, and partial ones, are dropped before they are computed", async () => {
  const { path, connection } = setUp();
  await store(connection, "h-1");
  for (const index of [
    `CREATE INDEX evil ON hivemind_memories (CASE WHEN id <> 'h-1' THEN ${slow} END)`,
    `CREATE INDEX evil ON hivemind_memories (id) WHERE id <> 'h-1' AND ${slow}`,
  ]) {
    await plant(path, index);
    await store(connection, "h-2");
    expect(await ids(connection)).toEqual(["h-1", "h-2"]);
    await plant(path, "DELETE FROM hivemind_memories WHERE id = 'h-2'");
  }
  await connection.close();
});

test.each([
  ["a computed column", `ADD COLUMN evil TEXT GENERATED ALWAYS AS (${slow}) VIRTUAL`],
  ["a check", `ADD COLUMN evil TEXT CHECK (${slow})`],
])(
  "TRUST-12: a table with %s is never read or written; the file counts as damaged",
  async (_what, change) => {
    const { path, connection } = setUp();
    await store(connection, "h-1");
    await plant(path, `ALTER TABLE hivemind_memories ${change.replaceAll(slow, `id = 'h-1' OR ${slow}`)}`);
    await expect(ids(connection)).rejects.toThrow(/damaged/);
    await expect(store(connection, "h-2")).rejects.toThrow(/damaged/);
    await connection.close();
  },
);

test("TRUST-12: a planted view in a table's place is never read; the file counts as incomplete", async () => {
  const { path, connection } = setUp();
  await store(connection, "h-1");
  const view = [
    "ALTER TABLE hivemind_memories RENAME TO elsewhere",
    `CREATE VIEW hivemind_memories AS SELECT x AS id FROM (${endless})`,
  ];
  await plant(path, ...view);
  await expect(ids(connection)).rejects.toThrow();
  await plant(path, "ALTER TABLE elsewhere RENAME TO hivemind_memories");
  expect(await ids(connection)).toEqual(["h-1"]);
  await connection.close();
  await plant(path, ...view);
  const call = { path, deadlineMs: 1000 };
  const count = (db: Db) => db.get("SELECT COUNT(*) AS n FROM hivemind_memories");
  await expect(readHivemind(call, count)).rejects.toMatchObject({ code: "RALPH_HIVEMIND_UNAVAILABLE" });
  await plant(path, "ALTER TABLE elsewhere RENAME TO hivemind_memories");
  expect(await readHivemind(call, count)).toEqual({ n: 1 });
});

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
