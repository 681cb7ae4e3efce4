import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import { variants } from "../../../test/test-size.ts";
import { guardLog } from "../log-guard.ts";
import { openEventReader } from "../read-events.ts";
import { verifyLog } from "../verify-log.ts";
import { readLastEvents, readLinesAfter, readLogEnd } from "./log-file.ts";
import { parseLine } from "./log-line.ts";
import { readLog } from "./read-log.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-flooded-"));
afterAll(() => rmSync(folder, { recursive: true }));

const size = 2_000_000;
const repeated = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);
const record = (seq: number, more = ""): string =>
  `{"seq":${seq},"timestamp":"2026-01-01T00:00:00Z","type":"a.b"${more}}`;
const list = (item: string): string => record(9, `,"data":[${repeated(item)}1]`);

/** What an agent can append. `slow`: each line must be parsed, for it could be a record. */
const floods: readonly (readonly [name: string, text: string, slow?: "slow"])[] = [
  ["empty lines", repeated("\n")],
  ["lines of one character", repeated("x\n")],
  ["short objects", repeated("{}\n")],
  ["short torn records", repeated('{"\n')],
  ["brackets", repeated("[")],
  ["braces", repeated("{")],
  ["nested objects", repeated('{"a":')],
  ["a nested list in a record", record(9, `,"data":${repeated("[")}`)],
  ["a nested list in a record, closed", record(9, `,"data":${"[".repeat(size / 2)}${"]".repeat(size / 2)}`)],
  ["a list of numbers in a record", list("1,")],
  ["a list of lists in a record", list("[],")],
  ["a list of strings in a record", list('"",')],
  ["backslashes in a record", record(9, `,"data":"${repeated("\\")}`)],
  ["backslashes before quotes in a record", record(9, `,"data":"${repeated('\\"')}`)],
  ["a long string", `{"type":"${repeated("x")}`],
  ["records that are no JSON", repeated('{"type":"a","timestamp":"b"x}\n'), "slow"],
  ["records", repeated(`${record(9)}\n`), "slow"],
  ["torn records", repeated('{"type":"a","timestamp":"b}\n'), "slow"],
];

/** Milliseconds; one of the readers alone took 24 s for 2 MB of empty lines. */
const maxMs = 1000;

test.each(variants(floods, 17))(
  "TRUST-12: every reader of a log is done soon with a flood of %s",
  async (_, flood = "", slow = undefined) => {
    const file = join(folder, "events.jsonl");
    writeFileSync(file, `${record(1)}\n${record(2)}\n`);
    const guard = guardLog(file, { keyId: "a", seal: () => "" });
    writeFileSync(file, `${flood}\n`, { flag: "a" });
    const log = openSync(file, "r");
    // Behind many lines that had to be parsed the search ends.
    const last = slow === undefined ? 2 : flood.includes("seq") ? 9 : undefined;
    const readers: Readonly<Record<string, () => unknown>> = {
      isDamaged: () => expect(guard?.isDamaged()).toBe(true),
      readLogEnd: () => expect(readLogEnd(log).last?.event.seq).toBe(last),
      readLinesAfter: () => readLinesAfter(log, 1),
      readLastEvents: () => readLastEvents(log, 100),
      readLog: () => readLog(file),
      openEventReader: () => openEventReader(file, []).next(10),
      verifyLog: () => verifyLog(file, null),
    };
    const late: string[] = [];
    for (const [name, read] of Object.entries(readers)) {
      const begin = process.cpuUsage();
      await read();
      const { user, system } = process.cpuUsage(begin);
      const ms = (user + system) / 1000;
      if (ms > maxMs && ms > scaledLimit(maxMs)) late.push(`${name}: ${Math.round(ms)} ms`);
    }
    guard?.release();
    closeSync(log);
    expect(late).toEqual([]);
  },
);

const torn = '{"seq":7,"type":"a","timestamp":"b"x}\n';
const unnumbered = '{"type":"a","timestamp":"b"}\n';

test.each<readonly [string, (file: string) => void]>(
  variants(
    [
      ["20 GB of zeros", (file) => truncateSync(file, 20_000_000_000)],
      ["a million lines that look like events", (file) => append(file, torn.repeat(1_000_000))],
      ["a million events without a number", (file) => append(file, unnumbered.repeat(1_000_000))],
    ],
    1,
  ),
)(
  "TRUST-12: the end of a log is read in bounded time with %s, and a guard puts the log back",
  async (_, flood) => {
    const file = join(folder, "long.jsonl");
    const own = `${record(1)}\n${record(2)}\n`;
    writeFileSync(file, own);
    const guard = guardLog(file, { keyId: "a", seal: () => "" });
    flood(file);
    const log = openSync(file, "r");
    const begin = process.cpuUsage();
    readLogEnd(log);
    readLastEvents(log, 100);
    expect(readLinesAfter(log, 1).length).toBeLessThanOrEqual(100_000);
    expect(guard?.isFlooded()).toBe(true);
    expect(await guard?.restore({ root: folder, keepIn: join(folder, "kept") })).toBe(true);
    const { user, system } = process.cpuUsage(begin);
    closeSync(log);
    guard?.release();
    expect(readFileSync(file, "utf8")).toBe(own);
    expect((user + system) / 1000).toBeLessThan(scaledLimit(3 * maxMs));
  },
);

test("TRUST-12: what ralph appends floods no log, and neither does a short damage", () => {
  const file = join(folder, "short.jsonl");
  writeFileSync(file, `${record(1)}\n`);
  const guard = guardLog(file, null);
  const guarded = guardLog(file, { keyId: "a", seal: () => "" });
  append(file, torn.repeat(1000));
  expect(guarded?.isFlooded()).toBe(false);
  append(file, torn.repeat(100_000));
  expect([guard?.isFlooded(), guarded?.isFlooded()]).toEqual([false, true]);
  guard?.release();
  guarded?.release();
  expect(statSync(file).size).toBeGreaterThan(1_000_000);
});

function append(file: string, text: string): void {
  writeFileSync(file, text, { flag: "a" });
}

test("TRUST-10: a long event of many short values, such as an agent's 30,000 files, is an event", () => {
  const event = { type: "a", timestamp: "b", files: Array.from({ length: 30_000 }, (_, n) => String(n)) };
  expect(parseLine(JSON.stringify(event))).toEqual(event);
  expect(parseLine(JSON.stringify({ ...event, files: event.files.map(Number) }))).toBeDefined();
});
