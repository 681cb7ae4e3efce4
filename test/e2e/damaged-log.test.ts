import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rebuildFromLog } from "../../src/events/rebuild.ts";
import { repairLog } from "../../src/events/repair-log.ts";
import { verifyLog } from "../../src/events/verify-log.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openProjectKey, type ProjectKey } from "../../src/trust/project-key.ts";
import { lastingRows, randomNumbers, workedOn } from "./damages.ts";
import { copyOf, type Practice } from "./practice.ts";

let original: Practice;
let key: ProjectKey;
/** The lines of the log of a run. */
let log: string;
const made: Practice[] = [];

beforeAll(async () => {
  original = await workedOn();
  key = openProjectKey(join(original.home, "state/ralph"), original.dir);
  log = original.read(".ralph/events.jsonl");
});
afterAll(() => {
  for (const one of [original, ...made]) one?.remove();
});

type Damage = (bytes: Buffer, random: (below: number) => number) => Buffer;

const linesOf = (bytes: Buffer): string[] => bytes.toString("latin1").split("\n").slice(0, -1);
const joined = (lines: readonly string[]): Buffer => Buffer.from(`${lines.join("\n")}\n`, "latin1");

const damages: Readonly<Record<string, Damage>> = {
  "a flipped bit": (bytes, random) => {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return bytes;
  },
  "a cut line": (bytes, random) => {
    const lines = linesOf(bytes);
    const at = random(lines.length);
    lines[at] = lines[at]?.slice(0, random(lines[at].length)) ?? "";
    return joined(lines);
  },
  "swapped lines": (bytes, random) => {
    const lines = linesOf(bytes);
    const [a, b] = [random(lines.length - 1), random(lines.length)];
    const [one = "", other = ""] = [lines[a], lines[a === b ? b + 1 : b]];
    lines[a] = other;
    lines[a === b ? b + 1 : b] = one;
    return joined(lines);
  },
  "a deleted line": (bytes, random) => {
    const lines = linesOf(bytes);
    lines.splice(random(lines.length), 1);
    return joined(lines);
  },
  "a repeated line": (bytes, random) => {
    const lines = linesOf(bytes);
    const at = random(lines.length);
    lines.splice(random(lines.length + 1), 0, lines[at] ?? "");
    return joined(lines);
  },
  "a cut end": (bytes, random) => bytes.subarray(0, random(bytes.length)),
  zeros: (bytes, random) => {
    const from = random(bytes.length);
    return bytes.fill(0, from, Math.min(bytes.length, from + 1 + random(2000)));
  },
};

const rounds = Number(process.env["RALPH_TEST_LOG_DAMAGES"] ?? 3);

test(`UX-1 CTX-3: ${rounds * Object.keys(damages).length} random damages of a log are all found and repaired, and the repaired log rebuilds the same rows`, async () => {
  const random = randomNumbers(20_261_122);
  const folder = join(dirname(original.dir), "damaged");
  for (const [what, damage] of Object.entries(damages)) {
    for (let round = 0; round < rounds; round += 1) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      const [file, path] = [join(folder, "events.jsonl"), join(folder, "progress.db")];
      const damaged = damage(Buffer.from(log), (below) => Math.floor(random() * below));
      if (damaged.equals(Buffer.from(log))) continue;
      writeFileSync(file, damaged);
      copyFileSync(join(original.dir, ".ralph/progress.db"), path);
      const db = await openStore({ path, seal: key, history: null });
      const name = `${what}, round ${round}`;
      const before = await lastingRows(db);
      const report = await verifyLog(file, key);
      const end = await db.dialect.lastNumber("outbox");
      expect(report.first !== null || report.lastSeq < end || !report.isComplete, name).toBe(true);
      const { head } = await repairLog(db, { file, root: folder, keepIn: join(folder, "kept") }, new Date());
      expect(readFileSync(join(folder, "kept/events.jsonl")).equals(damaged), name).toBe(true);
      await db.close();
      expect(await verifyLog(file, key), name).toMatchObject({
        bad: 0,
        isComplete: true,
        lastSeq: head?.seq,
      });
      const rebuilt = await openStore({ path: join(folder, "rebuilt.db"), history: null });
      expect((await rebuildFromLog(rebuilt, file, { seal: key })).skippedLines, name).toBe(0);
      expect(await lastingRows(rebuilt), name).toEqual(before);
      await rebuilt.close();
    }
  }
}, 600_000);

interface Check {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly hint: string | null;
}

const logCheck = async (one: Practice, ...args: string[]): Promise<Check | undefined> =>
  ((await one.json("doctor", ...args)) as Check[]).find(({ check }) => check === "event log");

test("UX-1: doctor names the first damaged line, and --repair keeps a copy and leaves a log that rebuilds the project", async () => {
  const lines = log.trimEnd().split("\n");
  const spoiled = lines.with(4, `${lines[4]?.slice(0, 40)}`).join("\n");
  const file = join(original.dir, ".ralph/events.jsonl");
  writeFileSync(file, `${spoiled}\n`);
  expect(await logCheck(original)).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("line 5 is damaged: it is not valid JSON"),
    hint: expect.stringContaining("ralph doctor --repair"),
  });
  const tasks = await original.json("task", "list");
  const repaired = (await original.json("doctor", "--repair")) as Check[];
  expect(repaired[0]).toMatchObject({
    check: "repair",
    detail: expect.stringMatching(/repaired the event log.*backups/),
  });
  expect(repaired.find(({ check }) => check === "event log")).toMatchObject({ status: "ok" });
  for (const end of ["", "-wal", "-shm"])
    rmSync(join(original.dir, `.ralph/progress.db${end}`), { force: true });
  await original.ralph("doctor", "--repair");
  expect(await original.json("task", "list")).toEqual(tasks);
  expect(await logCheck(original)).toMatchObject({ status: "ok" });
});

test("UX-1: one repair is enough, whatever number a forged line of the log has", async () => {
  const one = copyOf(original);
  made.push(one);
  await one.ralph("note", "add", "A remark");
  const file = join(one.dir, ".ralph/events.jsonl");
  const [last = ""] = one.read(".ralph/events.jsonl").trimEnd().split("\n").slice(-1);
  appendFileSync(file, `${last.replace(/"seq":\d+/, '"seq":99999').replace("remark", "forgery")}\n`);
  expect(await logCheck(one)).toMatchObject({ status: "fail" });
  expect(await logCheck(one, "--repair")).toMatchObject({ status: "ok" });
  expect(readFileSync(file, "utf8")).not.toContain("forgery");
  await one.ralph("note", "add", "Another remark");
  expect(await logCheck(one)).toMatchObject({ status: "ok" });
});

test("CTX-3: an older copy of log and store is noticed by doctor and by the next run, which works, until it is accepted", async () => {
  // Another folder, so that nothing of this test has its store open.
  const one = copyOf(original);
  made.push(one);
  await one.approveConfig();
  await one.ralph("note", "add", "A remark");
  const files = ["progress.db", "events.jsonl"].map((name) => join(one.dir, ".ralph", name));
  const kept = join(dirname(one.dir), "kept");
  mkdirSync(kept);
  for (const file of files) copyFileSync(file, join(kept, file.split("/").at(-1) ?? ""));
  await one.ralph("note", "add", "A remark that is lost");
  await one.ralph("task", "add", "Another task", "--id", "t-9");
  for (const file of files) {
    for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    copyFileSync(join(kept, file.split("/").at(-1) ?? ""), file);
  }
  expect(await logCheck(one)).toMatchObject({
    status: "warn",
    detail: expect.stringContaining("lacks events that ralph wrote here before"),
    hint: expect.stringContaining("accept it with `ralph doctor --repair`"),
  });
  const { code, events } = await one.run("--once");
  expect(code).toBe(0);
  expect(events.find(({ type }) => type === "run.started")?.["warnings"]).toContainEqual(
    expect.stringContaining("the event log lacks events that ralph wrote here before"),
  );
  expect(await logCheck(one)).toMatchObject({ status: "warn" });
  expect(await logCheck(one, "--repair")).toMatchObject({ status: "ok" });
  expect(await logCheck(one)).toMatchObject({ status: "ok" });
});

test("CTX-3: a log whose key is not here is readable and rebuilds the project, and doctor says so", async () => {
  const moved = copyOf(original);
  made.push(moved);
  expect(await logCheck(moved)).toMatchObject({
    status: "ok",
    detail: expect.stringContaining("made with a key that is not here"),
  });
  const tasks = await moved.json("task", "list");
  for (const end of ["", "-wal", "-shm"])
    rmSync(join(moved.dir, `.ralph/progress.db${end}`), { force: true });
  await moved.ralph("doctor", "--repair");
  expect(existsSync(join(moved.dir, ".ralph/progress.db"))).toBe(true);
  expect(await moved.json("task", "list")).toEqual(tasks);
});
