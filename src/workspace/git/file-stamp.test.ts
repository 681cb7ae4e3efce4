import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { remembering } from "./file-stamp.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stamp-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function counted(stat: "lstat" | "stat") {
  const reads: string[] = [];
  const read = remembering(stat, (path, stats) => {
    reads.push(path);
    return stats?.isFile() ? readFileSync(path, "utf8") : null;
  });
  return { read, reads };
}

test("a file is read again only when its stat data changed", async () => {
  const path = join(folder, "settled");
  writeFileSync(path, "one");
  await sleep(80);
  const { read, reads } = counted("lstat");
  expect([read(path), read(path), read(path)]).toEqual(["one", "one", "one"]);
  expect(reads).toHaveLength(1);
  writeFileSync(path, "two");
  expect(read(path)).toBe("two");
});

test("a write that keeps size and mtime is seen", async () => {
  const path = join(folder, "disguised");
  const time = new Date("2026-01-01T00:00:00Z");
  writeFileSync(path, "one");
  utimesSync(path, time, time);
  await sleep(80);
  const { read } = counted("stat");
  expect(read(path)).toBe("one");
  writeFileSync(path, "two");
  utimesSync(path, time, time);
  expect(read(path)).toBe("two");
});

test("what was written a moment ago is read each time: a second write can leave the same times", () => {
  const path = join(folder, "fresh");
  const { read, reads } = counted("stat");
  for (let round = 0; round < 50; round++) {
    const text = `round ${String(round).padStart(3, "0")}`;
    writeFileSync(path, text);
    expect(read(path)).toBe(text);
  }
  expect(reads).toHaveLength(50);
});

test("a missing file and a link in its place are seen at once", async () => {
  const path = join(folder, "gone");
  writeFileSync(path, "here");
  await sleep(80);
  const { read } = counted("lstat");
  expect(read(path)).toBe("here");
  rmSync(path);
  expect(read(path)).toBeNull();
  symlinkSync(join(folder, "settled"), path);
  expect(read(path)).toBeNull();
});
