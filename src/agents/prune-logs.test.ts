import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pruneLogs } from "./prune-logs.ts";

const now = new Date("2026-03-31T12:00:00Z");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ralph-logs-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A log that takes no room on disk, whatever its size. */
function log(name: string, { days, mib = 0 }: { days: number; mib?: number }): string {
  const path = join(folder, "logs", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  truncateSync(path, mib * 1024 * 1024);
  const at = new Date(now.getTime() - days * 86_400_000);
  utimesSync(path, at, at);
  return path;
}

const prune = (): Promise<number> => pruneLogs(join(folder, "logs"), "run-now", now);

test("AGENT-5 UX-6: raw logs are kept for 30 days", async () => {
  const [old, young] = [log("run-a/1.log", { days: 31 }), log("run-b/1.log", { days: 29 })];
  expect(await prune()).toBe(1);
  expect([existsSync(old), existsSync(dirname(old)), existsSync(young)]).toEqual([false, false, true]);
});

test("AGENT-5 UX-6: of more than 500 MiB the oldest go", async () => {
  const [a, b, c] = [3, 2, 1].map((days) => log(`run-${days}/1.log`, { days, mib: 240 }));
  expect(await prune()).toBe(1);
  expect([a, b, c].map((path) => existsSync(`${path}`))).toEqual([false, true, true]);
});

test("AGENT-5: the logs of the run at work stay, and a link leads nowhere", async () => {
  const mine = log("run-now/1.log", { days: 40, mib: 600 });
  const elsewhere = join(folder, "outside");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "1.log"), "");
  utimesSync(join(elsewhere, "1.log"), 0, 0);
  symlinkSync(elsewhere, join(folder, "logs", "run-link"));
  expect(await prune()).toBe(0);
  expect([existsSync(mine), existsSync(join(elsewhere, "1.log"))]).toEqual([true, true]);
});

test("AGENT-5: no folder of logs is nothing to do", async () => {
  expect(await prune()).toBe(0);
});
