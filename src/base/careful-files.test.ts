import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lookAt, lookThrough, makeFolders } from "./careful-files.ts";

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "ralph-folders-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("TRUST-6: missing folders are made closed to others, and those that exist stay as they are", () => {
  mkdirSync(join(base, "open"), { mode: 0o755 });
  makeFolders(join(base, "open/a/b"));
  makeFolders(join(base, "open/a/b"));
  const modes = ["open", "open/a", "open/a/b"].map((name) => statSync(join(base, name)).mode & 0o777);
  expect(modes).toEqual([0o755, 0o700, 0o700]);
});

test("TRUST-6: a file or a link to nothing in the path is an error", () => {
  writeFileSync(join(base, "file"), "");
  symlinkSync("nowhere", join(base, "link"));
  expect(() => makeFolders(join(base, "file"))).toThrow("EEXIST");
  expect(() => makeFolders(join(base, "file/a"))).toThrow("EEXIST");
  expect(() => makeFolders(join(base, "link/a"))).toThrow("EEXIST");
  expect(existsSync(join(base, "nowhere"))).toBe(false);
});

test.runIf(process.platform === "linux")("TRUST-12: a path that leads into /proc is an error", () => {
  symlinkSync("/proc/self", join(base, "proc"));
  expect(() => makeFolders(join(base, "proc/ralph/state"))).toThrow("ENOENT");
});

test.each([
  ["below a file", "plain/a"],
  ["through a link to itself", "loop/a"],
  ["with too long a name", "n".repeat(300)],
  ["that is missing", "missing/a"],
])("TRUST-12: at a path %s is nothing", (_, name) => {
  writeFileSync(join(base, "plain"), "");
  if (lookAt(join(base, "loop")) === undefined) symlinkSync("loop", join(base, "loop"));
  for (const look of [lookAt, lookThrough]) expect(look(join(base, name))).toBeUndefined();
});
