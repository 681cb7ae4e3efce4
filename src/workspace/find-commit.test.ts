import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { safe } from "../base/safe-text.ts";
import { commitPaths, commitsAfter, findCommit } from "./commit.ts";

afterEach(removeTempRepositories);

test("LOOP-11: the commit that a crash left unrecorded is found by its trailer, and by nothing that only looks like it", async () => {
  const { dir, git, write } = tempRepository();
  const ws = await openRunWorkspace(dir, gitEnv);
  const base = git("rev-parse", "HEAD");
  const search = { base, trailer: "Ralph-Task", value: "t-1" };
  expect(await findCommit(ws, search)).toBeUndefined();
  write("a.txt", "1");
  git("commit", "-qam", "one\n\nRalph-Task: t-1\n\nNot at the end.\n\nRalph-Task: t-12");
  expect(await findCommit(ws, search)).toBeUndefined();
  write("a.txt", "2");
  const { hash } = await commitPaths(ws, {
    paths: ["a.txt"],
    message: safe`two\n\nRalph-Task: t-1\nRalph-Attempt: 2\n`,
  });
  write("a.txt", "3");
  git("commit", "-qam", "three");
  expect(await findCommit(ws, search)).toBe(hash);
  expect(await findCommit(ws, { ...search, base: hash })).toBeUndefined();
});

test("TRUST-10: grafts and replacements change nothing of the commits that ralph sees", async () => {
  const { git, write, dir } = tempRepository({ "a.txt": "a" });
  const base = git("rev-parse", "HEAD");
  for (const name of ["one", "two"]) {
    write("a.txt", name);
    git("commit", "-qam", name);
  }
  const last = git("rev-parse", "HEAD");
  git("replace", "HEAD~1", base);
  mkdirSync(join(dir, ".git/info"), { recursive: true });
  writeFileSync(join(dir, ".git/info/grafts"), `${last}\n`);
  const ws = await openRunWorkspace(dir, gitEnv);
  expect((await commitsAfter(ws, base)).map(({ subject }) => subject)).toEqual(["one", "two"]);
});
