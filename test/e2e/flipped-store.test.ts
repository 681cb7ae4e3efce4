import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repairStore } from "../../src/cli/doctor/repair-store.ts";
import { checkStore } from "../../src/cli/doctor/store-checks.ts";
import type { Row } from "../../src/store/db.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openProjectKey, type ProjectKey } from "../../src/trust/project-key.ts";
import { lastingRows, randomNumbers, workedOn } from "./damages.ts";
import type { Practice } from "./practice.ts";

type Rows = Readonly<Record<string, readonly Row[]>>;

let original: Practice;
let key: ProjectKey;
let before: Rows;

beforeAll(async () => {
  original = await workedOn();
  key = openProjectKey(join(original.home, "state/ralph"), original.dir);
  before = await rowsIn(join(original.dir, ".ralph/progress.db"));
}, 60_000);
afterAll(() => original?.remove());

async function rowsIn(path: string): Promise<Rows> {
  const db = await openStore({ path, readOnly: true, history: null });
  return await lastingRows(db).finally(() => db.close());
}

/** What came of a flip: `found` and rebuilt with the same rows, `unchanged`, or `a value`: one row has another value. */
async function afterFlip(folder: string): Promise<string> {
  const [path, history] = [join(folder, ".ralph/progress.db"), join(folder, ".ralph/events.jsonl")];
  const { db, needsRebuild } = await checkStore({ path, history });
  if (db) {
    const rows = await lastingRows(db).finally(() => db.close());
    return compared(rows);
  }
  if (!needsRebuild) return "refused, and no rebuild is offered";
  await repairStore({ root: folder, path, history, key }, new Date());
  const rebuilt = compared(await rowsIn(path));
  return rebuilt === "unchanged" ? "found" : `rebuilt with ${rebuilt}`;
}

function compared(rows: Rows): string {
  const texts = (one: Rows): string[] =>
    Object.entries(one).flatMap(([table, list]) => list.map((row) => `${table} ${JSON.stringify(row)}`));
  const [had, has] = [texts(before), texts(rows)];
  const [known, found] = [new Set(had), new Set(has)];
  const lost = had.filter((row) => !found.has(row)).length;
  const added = has.filter((row) => !known.has(row)).length;
  if (lost + added === 0 && has.length === had.length) return "unchanged";
  return lost === 1 && added === 1 ? "a value" : `${lost} rows lost, ${added} added`;
}

test("TRUST-8: a damaged definition of an index is damage, not a bug", async () => {
  const folder = join(dirname(original.dir), "redefined");
  mkdirSync(join(folder, ".ralph"), { recursive: true });
  copyFileSync(join(original.dir, ".ralph/events.jsonl"), join(folder, ".ralph/events.jsonl"));
  const bytes = readFileSync(join(original.dir, ".ralph/progress.db"));
  const at = bytes.indexOf("columnsize = 0");
  expect(at).toBeGreaterThan(0);
  bytes.write("a", at + "columnsize ".length);
  writeFileSync(join(folder, ".ralph/progress.db"), bytes);
  expect(await afterFlip(folder)).toBe("found");
});

/** 1,000 and more: npm run test:log. */
const flips = Number(process.env["RALPH_TEST_STORE_FLIPS"] ?? 25);

test(`TRUST-8 CTX-3: of ${flips} stores with a flipped byte each is rebuilt or has all its rows, and few have another value`, async () => {
  const random = randomNumbers(20_261_123);
  const bytes = readFileSync(join(original.dir, ".ralph/progress.db"));
  // Most of a small store is empty.
  const used = [...bytes.keys()].filter((at) => bytes[at] !== 0);
  const folder = join(dirname(original.dir), "flipped");
  const counts = new Map<string, number>();
  for (let n = 0; n < flips; n += 1) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, ".ralph"), { recursive: true });
    copyFileSync(join(original.dir, ".ralph/events.jsonl"), join(folder, ".ralph/events.jsonl"));
    const at = used[Math.floor(random() * used.length)] ?? 0;
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ (1 + Math.floor(random() * 255));
    writeFileSync(join(folder, ".ralph/progress.db"), damaged);
    const what = await afterFlip(folder).catch((error: unknown) => `byte ${at}: ${String(error)}`);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  if (flips >= 1000) process.stdout.write(`${JSON.stringify([...counts])}\n`);
  const { found = 0, unchanged = 0, "a value": values = 0, ...wrong } = Object.fromEntries(counts);
  expect(wrong).toEqual({});
  expect(found + unchanged + values).toBe(flips);
  // SQLite has no checksums: a byte of a row's text can change unnoticed.
  expect(values).toBeLessThanOrEqual(Math.max(2, flips * 0.05));
}, 3_600_000);
