import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempFolder, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { guard, restoreGuardedFiles } from "../../workspace/guard.ts";
import { watchDestinations } from "./kept-settings.ts";

afterEach(removeTempRepositories);

async function watched() {
  const repository = tempRepository();
  repository.git("remote", "add", "origin", "../origin");
  const env = { ...gitEnv, HOME: tempFolder() };
  delete (env as Record<string, unknown>)["GIT_CONFIG_GLOBAL"];
  const gitconfig = join(env.HOME, ".gitconfig");
  writeFileSync(gitconfig, "[user]\n\tname = Ann\n");
  const ws = await openRunWorkspace(repository.dir, env);
  const before = await guard(ws);
  const destinations = watchDestinations(ws, before);
  const added = async () => {
    await restoreGuardedFiles(ws, before, tempFolder());
    return destinations.added();
  };
  return { ...repository, added, gitconfig };
}

test("LOOP-18: a new remote, upstream or submodule stays, and is named once", async () => {
  const { git, added } = await watched();
  expect(await added()).toEqual([]);
  git("remote", "add", "evil", "https://evil.example/x.git");
  git("config", "branch.main.remote", "evil");
  git("config", "branch.main.merge", "refs/heads/main");
  git("config", "submodule.lib.url", "../lib");
  git("config", "remote.origin.url", "../elsewhere");
  git("config", "color.ui", "false");
  expect(await added()).toEqual([
    "kept a new remote in .git/config: evil (https://evil.example/x.git); review it before you push",
    "kept a new upstream of a branch in .git/config: main (evil refs/heads/main); review it before you push",
    "kept a new submodule in .git/config: lib (../lib); review it before you push",
  ]);
  expect(git("remote", "get-url", "origin")).toBe("../origin");
  expect(await added()).toEqual([]);
  git("remote", "add", "more", "../more");
  expect(await added()).toEqual([expect.stringContaining("a new remote in .git/config: more (../more)")]);
});

test("LOOP-18: so is one in the user's own configuration, also for a remote that is there", async () => {
  const { added, gitconfig } = await watched();
  appendFileSync(gitconfig, '[remote "origin"]\n\tpushurl = ../evil\n[lfs]\n\turl = https://evil.example\n');
  expect(await added()).toEqual([
    "kept a new push setting of a remote in ~/.gitconfig: origin (../evil); review it before you push",
    "kept a new server of Git LFS in ~/.gitconfig: https://evil.example; review it before you push",
  ]);
});

test("LOOP-18 TRUST-7 TRUST-1: the sentence is one short line without secrets and invisible characters", async () => {
  const { git, added } = await watched();
  git("remote", "add", "up", "https://bob:h4rdPassw0rd!x@example.com/\u202egit.x");
  git("config", `submodule.${"n".repeat(3000)}.url`, "u".repeat(3000));
  const [remote, submodule = "", ...more] = await added();
  expect(remote).toMatch(
    /^kept a new remote in \.git\/config: up \(https:\/\/\S*\[redacted:\S+example\.com\/git\.x\);/,
  );
  expect(remote).not.toContain("h4rd");
  expect([submodule.length < 400, more]).toEqual([true, []]);
  for (let number = 0; number < 20; number++) git("remote", "add", `r${number}`, "../x");
  const many = await added();
  expect(many.length).toBeLessThan(12);
  expect(many.at(-1)).toBe("kept 12 more new destinations of pushes and fetches in git's configuration");
});
