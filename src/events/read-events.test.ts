import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openEventReader } from "./read-events.ts";

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "ralph-events-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, "events.jsonl");
});

const line = (seq: number, type = "task.created") =>
  `${JSON.stringify({ seq, timestamp: "2026-03-01T10:00:00.000Z", type, jobId: null, n: "é".repeat(seq) })}\n`;
const seqs = (events: readonly { seq?: number }[]) => events.map(({ seq }) => seq);

test("CTX-2: a reader gives the newest events first asked for, then only what is added", () => {
  const reader = openEventReader(file, []);
  expect(reader.next()).toEqual([]);
  writeFileSync(file, [1, 2, 3].map((seq) => line(seq)).join(""));
  const first = reader.next(2);
  expect(first).toEqual([2, 3].map((seq) => JSON.parse(line(seq))));
  // A line in the middle of being written is read once it is complete, in any cut of its bytes.
  const bytes = Buffer.from(line(4));
  for (const byte of bytes.subarray(0, -1)) {
    appendFileSync(file, Buffer.from([byte]));
    expect(reader.next()).toEqual([]);
  }
  appendFileSync(file, "\n");
  expect(seqs(reader.next())).toEqual([4]);
  appendFileSync(file, `torn {"seq":\n${line(4)}${line(5)}`);
  expect(seqs(reader.next())).toEqual([5]);
  expect(seqs(reader.next(0))).toEqual([]);
});

test("CTX-2: types may be patterns, and a log that was replaced is read from its beginning", () => {
  writeFileSync(file, line(1) + line(2, "story_complete") + line(3, "iteration.started"));
  expect(seqs(openEventReader(file, ["story_*", "iteration.started"]).next())).toEqual([2, 3]);
  const reader = openEventReader(file, ["story_*"]);
  expect(seqs(reader.next())).toEqual([2]);
  writeFileSync(`${file}.new`, `${line(7, "story_failed")}`);
  renameSync(`${file}.new`, file);
  expect(seqs(reader.next())).toEqual([7]);
  writeFileSync(file, "");
  expect(reader.next()).toEqual([]);
});

test("TRUST-6: a log that is a symbolic link is refused", () => {
  writeFileSync(`${file}.other`, line(1));
  symlinkSync(`${file}.other`, file);
  expect(() => openEventReader(file, []).next()).toThrow("is not a regular file");
});
