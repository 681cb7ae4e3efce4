import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { guardedAt } from "../../../../test/guarded-repository.ts";
import { removeTempRepositories, tempRepository } from "../../../../test/temp-repository.ts";
import { onlyInLongForm } from "../../../../test/test-size.ts";
import { restoreGuarded, restoreUnfinished } from "../../guard.ts";

afterEach(removeTempRepositories);

/** More than the arguments that a call may have. */
const veryMany = 130_000;

function plant(dir: string, git: (...args: string[]) => string): string {
  const hook = join(dir, ".git/hooks/pre-commit");
  mkdirSync(join(dir, ".git/hooks"), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  git("config", "core.fsmonitor", "evil");
  return hook;
}

test("LOOP-18: very many entries in a git folder keep nothing planted in place", {
  timeout: 60_000,
}, async (context) => {
  onlyInLongForm(context);
  const { dir, git } = tempRepository();
  const { ws, before, keepIn, restore } = await guardedAt(dir);
  const hook = plant(dir, git);
  const folder = join(dir, ".git/x");
  mkdirSync(folder);
  for (let n = 0; n < veryMany; n++) closeSync(openSync(join(folder, `${n}.lock`), "w"));
  expect(await restore()).toEqual(expect.arrayContaining([".git/config", ".git/hooks"]));
  expect(existsSync(hook)).toBe(false);
  expect(git("config", "--list")).not.toContain("fsmonitor");
  await restoreUnfinished(ws, before, keepIn);
});

test("of many locks the first are named", async () => {
  const { dir } = tempRepository();
  const { ws, before, keepIn } = await guardedAt(dir);
  for (let n = 0; n < 25; n++) writeFileSync(join(dir, `.git/refs/heads/${n}.lock`), "");
  const removed = await restoreUnfinished(ws, before, keepIn);
  expect(removed).toHaveLength(21);
  expect(removed.at(-1)).toBe("removed 5 more locks of git");
});

test("LOOP-18: settings and hooks are put back even where another repair fails", async () => {
  const { dir, git } = tempRepository();
  const { ws, before, keepIn } = await guardedAt(dir);
  const hook = plant(dir, git);
  const gitFiles = before.gitFiles && { ...before.gitFiles, alternates: 5 as unknown as string[] };
  await expect(restoreGuarded(ws, { ...before, ...(gitFiles && { gitFiles }) }, keepIn)).rejects.toThrow(
    TypeError,
  );
  expect(existsSync(hook)).toBe(false);
  expect(git("config", "--list")).not.toContain("fsmonitor");
});
