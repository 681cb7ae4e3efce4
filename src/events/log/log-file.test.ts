import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import { readLinesFrom } from "./log-file.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-log-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

function opened<T>(text: string, use: (file: number) => T): T {
  const path = join(folder, "events.jsonl");
  writeFileSync(path, text);
  const file = openSync(path, "r");
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

test.each([
  ["short", [3, 5, 0, 4]],
  ["as long as what is read at once", [65_535, 65_536, 65_537, 1]],
  ["much longer", [300_000, 2, 2_000_000, 7]],
])("lines after an offset are read with the line before each: %s", (_, lengths) => {
  // A long line that does not begin like a record is not read to its end.
  const after = lengths.map((length, n) => (length < 100 ? "" : '{"').padEnd(length, `${n}`));
  for (const end of ["\n", ""]) {
    const before = "first\nlast é\n";
    const found = opened(`${before}${after.join("\n")}${end}`, (file) => [
      ...readLinesFrom(file, 3, Buffer.byteLength(before)),
    ]);
    expect(found).toEqual(after.map((text, n) => ({ text, before: after[n - 1] ?? "last é" })));
  }
});

test("TRUST-12: of a log that an agent made long, only the first foreign lines are read", () => {
  const ms = opened(`{}\n${"x\n".repeat(10_000_000)}`, (file) => {
    const begin = performance.now();
    for (const { text } of readLinesFrom(file, 0, 3)) if (text === "x") break;
    return performance.now() - begin;
  });
  expect(ms).toBeLessThan(scaledLimit(200));
});
