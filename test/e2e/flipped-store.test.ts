import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repairStore } from "../../src/cli/doctor/repair-store.ts";
import { checkRows, repairRows } from "../../src/cli/doctor/rows-check.ts";
import { checkStore } from "../../src/cli/doctor/store-checks.ts";
import type { Row } from "../../src/store/db.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openConnection } from "../../src/store/sqlite/connection.ts";
import { openProjectKey, type ProjectKey } from "../../src/trust/project-key.ts";
import { lastingRows, randomNumbers, workedOn } from "./damages.ts";
import { copyOf, type Practice } from "./practice.ts";

type Rows = Readonly<Record<string, readonly Row[]>>;

let original: Practice;
let key: ProjectKey;
let before: Rows;

beforeAll(async () => {
  original = await workedOn();
  key = openProjectKey(join(original.home, "state/ralph"), original.dir);
  before = await rowsIn(join(original.dir, ".ralph/progress.db"));
});
afterAll(() => original?.remove());

async function rowsIn(path: string): Promise<Rows> {
  const db = await openStore({ path, readOnly: true, history: null });
  return await lastingRows(db).finally(() => db.close());
}

/** What came of a flip: `found` and rebuilt with the same rows, `restored`: one row had another value, or `unchanged`. */
async function afterFlip(folder: string): Promise<string> {
  const [path, history] = [join(folder, ".ralph/progress.db"), join(folder, ".ralph/events.jsonl")];
  const { db, needsRebuild } = await checkStore({ path, history });
  if (db) {
    const place = { root: folder, path, history, key };
    const differ = (await checkRows(db, place).finally(() => db.close())).status === "fail";
    const what = compared(await rowsIn(path));
    if (!differ) return what;
    await repairRows(place, new Date());
    const restored = compared(await rowsIn(path));
    return what === "a value" && restored === "unchanged" ? "restored" : `${what}, restored with ${restored}`;
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

test("TRUST-8: a column whose name has another case is damage: its values would be read as absent", async () => {
  const folder = join(dirname(original.dir), "recased");
  mkdirSync(join(folder, ".ralph"), { recursive: true });
  copyFileSync(join(original.dir, ".ralph/events.jsonl"), join(folder, ".ralph/events.jsonl"));
  const bytes = readFileSync(join(original.dir, ".ralph/progress.db"));
  const at = bytes.indexOf("relevance_tags TEXT");
  expect(at).toBeGreaterThan(0);
  bytes.write("R", at);
  writeFileSync(join(folder, ".ralph/progress.db"), bytes);
  expect(await afterFlip(folder)).toBe("found");
});

test("TRUST-8: an index of another version is damage, not a bug", async () => {
  const folder = join(dirname(original.dir), "reversioned");
  mkdirSync(join(folder, ".ralph"), { recursive: true });
  copyFileSync(join(original.dir, ".ralph/events.jsonl"), join(folder, ".ralph/events.jsonl"));
  const bytes = readFileSync(join(original.dir, ".ralph/progress.db"));
  // A deleted page holds it too.
  for (let at = bytes.indexOf("version\x04"); at >= 0; at = bytes.indexOf("version\x04"))
    bytes[at + "version".length] = 0;
  writeFileSync(join(folder, ".ralph/progress.db"), bytes);
  expect(await afterFlip(folder)).toBe("found");
});

test("UX-1 TRUST-8: rows that another program changed are named, and restored from the log with a copy of the store kept", async () => {
  const project = copyOf(original);
  try {
    const connection = await openConnection(join(project.dir, ".ralph/progress.db"), { readOnly: false });
    connection.exec("UPDATE tasks SET status = 'done' WHERE title = 'task 3'; DELETE FROM learnings");
    connection.close();
    const found = await project.ralph("doctor");
    expect(found.code).toBe(5);
    expect(found.stdout).toMatch(
      /^✗ rows +changed by damage or another program: task t-3, a row of learning\w+, a row of learnings$/m,
    );
    expect(found.stdout).toContain("hint: run `ralph doctor --repair`");
    const repaired = await project.ralph("doctor", "--repair");
    expect(repaired.stdout).toMatch(
      /^✓ repair +restored rows from the event log: [^\n]*put back task t-3: /m,
    );
    const [, copy = ""] = /the store as it was is in (\S+)/.exec(repaired.stdout) ?? [];
    expect(readdirSync(copy)).toContain("progress.db");
    expect((await project.ralph("doctor")).stdout).toMatch(/^✓ rows +as the event log says$/m);
    expect((await project.ralph("task", "list")).stdout).toMatch(/task 3/);
    expect((await project.ralph("memory", "list")).stdout).toContain("quartz resonator");
  } finally {
    project.remove();
  }
});

/** 1,000 and more: npm run test:log. */
const flips = Number(process.env["RALPH_TEST_STORE_FLIPS"] ?? 25);

test(`TRUST-8 CTX-3: of ${flips} stores with a flipped byte each is rebuilt or has all its rows as they were`, async () => {
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
  const { found = 0, unchanged = 0, restored = 0, ...wrong } = Object.fromEntries(counts);
  expect(wrong).toEqual({});
  expect(found + unchanged + restored).toBe(flips);
}, 3_600_000);
