import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, makePipe, removeTempRepositories, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { git, gitRead } from "../git/git.ts";
import { removedPipes } from "../status.ts";

afterEach(removeTempRepositories);

test("TRUST-12: a pipe that git waits for in a folder of the tree is removed, and named once", async () => {
  const { dir } = tempRepository({ "src/a.txt": "a" });
  const ws = await openRunWorkspace(dir, gitEnv);
  for (const name of ["src/.gitignore", "other"]) makePipe(join(dir, name));
  const { stdout } = await gitRead(ws, ["status", "--porcelain"], { timeoutMs: 1000 });
  expect(stdout).toBe("");
  expect(removedPipes(ws)).toEqual(["removed src/.gitignore: a pipe, for which git waited"]);
  expect(removedPipes(ws)).toEqual([]);
  expect(existsSync(join(dir, "other"))).toBe(true);
});

test("TRUST-12: a git that does not end in time for another reason fails as before", async () => {
  const { dir } = tempRepository({ "a.txt": "a" });
  const ws = await openRunWorkspace(dir, gitEnv);
  const forEver = ["-c", "alias.wait=!sleep 60", "wait"];
  await expect(git(ws, forEver, { timeoutMs: 300 })).rejects.toThrow(/timed out/);
});
