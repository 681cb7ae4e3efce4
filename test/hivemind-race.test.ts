import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { sharedSource } from "../src/memory/hivemind/shared-memory-store.ts";
import { isIndexComplete } from "../src/search/check-index.ts";
import { openStore } from "../src/store/open-store.ts";
import { bundledFake } from "./fakes/bundled-fake.ts";
import { testSize } from "./test-size.ts";

const run = promisify(execFile);
/** `RALPH_TEST_HIVEMIND_MS=60000` for the long form. */
const ms = testSize("RALPH_TEST_HIVEMIND_MS", 300);

test(
  "HIVE-3: eight projects write to one hivemind at once: no error, no lost record, no damage",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "ralph-hivemind-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "hivemind.db");
    const program = bundledFake("hivemind-writer");
    const names = Array.from({ length: 8 }, (_, at) => `project${at}`);
    const ran = await Promise.all(
      names.map((name) => run(process.execPath, [program, join(folder, name, "p.db"), path, name, `${ms}`])),
    );
    const written = ran.map(({ stdout }) => Number(stdout));
    expect(Math.min(...written)).toBeGreaterThan(0);
    const db = await openStore({ path, readOnly: true, schema: "hivemind" });
    try {
      const rows = await db.all<{ project: string; n: number }>(
        "SELECT project, COUNT(*) AS n FROM hivemind_memories GROUP BY project ORDER BY project",
      );
      expect(rows.map(({ n }) => n)).toEqual(written);
      expect(await db.file?.findDamage()).toBeUndefined();
      expect(await isIndexComplete(db, [sharedSource])).toBe(true);
    } finally {
      await db.close();
    }
  },
  ms + 60_000,
);
