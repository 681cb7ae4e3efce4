import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { guardedAt } from "../../../../test/guarded-repository.ts";
import {
  removeTempRepositories,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { safe } from "../../../base/safe-text.ts";
import { commitPaths } from "../../commit.ts";

afterEach(removeTempRepositories);

async function guarded(made: TempRepository = tempRepository()) {
  return { ...made, ...(await guardedAt(made.dir)) };
}

test("LOOP-18: links below git's folder do not lead ralph's commit to a person's files", async () => {
  const { dir, ws, restore, write, git } = await guarded();
  const victims = tempFolder();
  writeFileSync(join(victims, "victim"), "precious\n");
  mkdirSync(join(victims, "folder"));
  for (const name of ["COMMIT_EDITMSG", "logs/HEAD"]) {
    rmSync(join(dir, ".git", name), { force: true });
    symlinkSync(join(victims, "victim"), join(dir, ".git", name));
  }
  renameSync(join(dir, ".git/logs/refs"), join(victims, "refs"));
  symlinkSync(join(victims, "folder"), join(dir, ".git/logs/refs"));
  expect((await restore()).toSorted()).toEqual([".git/COMMIT_EDITMSG", ".git/logs/HEAD", ".git/logs/refs"]);
  write("a.txt", "b\n");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`changed` });
  expect(git("log", "-1", "--format=%s")).toBe("changed");
  expect(readFileSync(join(victims, "victim"), "utf8")).toBe("precious\n");
  expect(existsSync(join(victims, "folder/heads"))).toBe(false);
  expect(await restore()).toEqual([]);
});

test("LOOP-18: links that a person made below git's folder stay, and lead where they led", async () => {
  const made = tempRepository();
  const logs = join(made.dir, ".git/logs");
  renameSync(logs, join(tempFolder(), "logs"));
  const shared = tempFolder();
  symlinkSync(shared, logs);
  const { restore } = await guarded(made);
  expect(await restore()).toEqual([]);
  rmSync(logs);
  symlinkSync(tempFolder(), logs);
  expect(await restore()).toEqual([".git/logs"]);
  expect(readlinkSync(logs)).toBe(shared);
  rmSync(logs);
  mkdirSync(logs);
  expect(await restore()).toEqual([]);
  expect(lstatSync(logs).isDirectory()).toBe(true);
});

test("LOOP-18: a link in place of git's refs ends the run before anything is written through it", async () => {
  const { dir, restore } = await guarded();
  const other = tempRepository();
  rmSync(join(dir, ".git/refs"), { recursive: true });
  symlinkSync(join(other.dir, ".git/refs"), join(dir, ".git/refs"));
  await expect(restore()).rejects.toMatchObject({ code: "RALPH_GIT_GONE" });
});
