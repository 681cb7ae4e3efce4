import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { commandProcess } from "./query.ts";

/** Prints the process that runs it; `die` ends that process instead of an answer. */
const program = `
export async function main([word]) {
  if (word === "die") process.kill(process.pid, "SIGKILL");
  process.stdout.write(String(process.pid));
  return 0;
}
`;

test("a process that runs commands is replaced, when it was killed between two of them or during one", async () => {
  const dir = mkdtempSync(join(tmpdir(), "query-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "main.mjs"), program);
  const commands = commandProcess(join(dir, "main.mjs"));
  const ask = (word: string) => commands.ask([word], { dir, env: {} }, false);
  const first = Number((await ask("pid")).stdout);
  process.kill(first, "SIGKILL");
  while (isRunning(first)) await sleep(5);
  const second = Number((await ask("pid")).stdout);
  expect(second).not.toBe(first);
  await expect(ask("die")).rejects.toThrow("the process that runs commands ended");
  const third = Number((await ask("pid")).stdout);
  expect(third).not.toBe(second);
  process.kill(third, "SIGKILL");
}, 10_000);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
