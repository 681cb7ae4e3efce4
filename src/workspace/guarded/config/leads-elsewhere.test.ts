import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  runScript,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../../test/temp-workspace.ts";
import { variants } from "../../../../test/test-size.ts";
import { guard, restoreGuarded } from "../../guard.ts";

afterEach(removeTempRepositories);

/** Runs the script in a repository with a remote; returns its configuration before, after the script and restored. */
async function changed(script: string): Promise<Readonly<Record<"before" | "changed" | "after", string>>> {
  const { dir, git } = tempRepository();
  git("init", "-q", "--bare", ".git/origin.git");
  git("remote", "add", "origin", ".git/origin.git");
  git("push", "-q", "-u", "origin", "main");
  git("branch", "side");
  const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
  const read = (): string => readFileSync(join(dir, ".git/config"), "utf8");
  const before = read();
  const state = await guard(ws);
  runScript(dir, script);
  const now = read();
  expect(now).not.toBe(before);
  await restoreGuarded(ws, state, tempFolder());
  return { before, changed: now, after: read() };
}

test.each(
  variants(
    [
      "git config remote.origin.fetch '+refs/heads/*:refs/heads/*'",
      "git config --add remote.origin.fetch '+refs/heads/*:refs/heads/*'",
      "git config remote.origin.push +refs/heads/side:refs/heads/main",
      "git config branch.main.pushRemote ../evil.git",
      "git config branch.side.pushRemote ../evil.git",
      "git config branch.main.remote ../evil.git",
      "git config branch.main.merge refs/heads/side",
      "git config branch.main.remote . && git config branch.main.merge refs/heads/side",
    ],
    4,
  ),
)("LOOP-18: where a person's fetch and push lead is put back: %s", async (script) => {
  const { before, after } = await changed(script);
  expect(after).toBe(before);
});

test.each([
  "git config remote.up.push +refs/heads/side:refs/heads/main",
  "git config remote.up.fetch '+refs/heads/*:refs/heads/*'",
  "git config remote.up.fetch '+refs/heads/*:refs/remotes/origin/*'",
  "git config remote.up.fetch '+refs/heads/*:refs/tags/*'",
])("LOOP-18: a new remote stays, without what changes other refs: %s", async (script) => {
  const { after } = await changed(`git remote add up ../up; ${script}`);
  expect(after).toContain("../up");
  expect(after).not.toContain("side");
  expect(after.match(/^\s*fetch = .*(?:heads|origin|tags)\/\*"?$/gm)).toEqual([
    expect.stringContaining("+refs/heads/*:refs/remotes/origin/*"),
  ]);
});

test.each(
  variants(
    [
      "git remote add up ../up; git config --add remote.up.fetch '+refs/tags/*:refs/tags/*'",
      "git remote add -t main up ../up",
      "git push -q -u origin side",
      "git checkout -q -b new --track origin/main",
      "git config branch.pr.remote ../fork; git config branch.pr.pushRemote ../fork; git config branch.pr.merge refs/heads/x",
      "git remote remove origin",
      "git branch --unset-upstream",
      "git config branch.main.rebase true; git config remote.origin.prune true",
    ],
    4,
  ),
)("LOOP-18: remotes and upstreams that a person adds or removes stay: %s", async (script) => {
  const { changed: now, after } = await changed(script);
  expect(after).toBe(now);
});
