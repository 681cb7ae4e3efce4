import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openConnection, useWriteAheadLog } from "../connection.ts";
import { createSqliteDb } from "../sqlite-db.ts";

test("LOOP-18: ralph's own writes beside an agent leave the store's file as it was, however many", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ralph-guard-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const connection = await openConnection(join(folder, "store.db"), { readOnly: false });
  await useWriteAheadLog(connection);
  connection.exec("CREATE TABLE texts (text TEXT)");
  const db = createSqliteDb(connection);
  onTestFinished(() => db.close());
  for (let session = 0; session < 3; session++) {
    const fileState = await db.guardFile();
    // 8 MB: what maintenance of a large memory writes.
    for (let n = 0; n < 8; n++)
      await db.transaction((tx) => tx.run("INSERT INTO texts VALUES (?)", ["x".repeat(1_000_000)]));
    expect(await fileState()).toBe("intact");
  }
  // In between it was moved to the file, so that the log holds the last one only.
  const { log } = connection.get<{ log: number }>("PRAGMA wal_checkpoint(PASSIVE)") ?? { log: Number.NaN };
  expect(log).toBeLessThan((2 * 8_000_000) / 4096);
});
