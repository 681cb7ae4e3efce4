import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { guardedAt } from "../../../../test/guarded-repository.ts";
import {
  removeTempRepositories,
  repositoryAt,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { variants } from "../../../../test/test-size.ts";

afterEach(removeTempRepositories);

/** A repository with this number of commits above the first, and a shallow clone of it with two. */
function shallowClone(commits = 4): { readonly origin: TempRepository; readonly clone: TempRepository } {
  const origin = tempRepository();
  for (let n = 1; n <= commits; n++) origin.git("commit", "-qm", `${n}`, "--allow-empty");
  const dir = join(tempFolder(), "clone");
  origin.git("clone", "-q", "--depth=2", `file://${origin.dir}`, dir);
  return { origin, clone: repositoryAt(dir) };
}

const guarded = async ({ dir }: TempRepository) => (await guardedAt(dir)).restore;

test.each(variants(["garbage\n", "HEAD", "\n", "folder"], 2))(
  "LOOP-18: what an agent wrote into .git/shallow of a whole repository (%j) is put back",
  async (text) => {
    const repository = tempRepository();
    const { dir, git } = repository;
    git("commit", "-qm", "second", "--allow-empty");
    const restore = await guarded(repository);
    const path = join(dir, ".git/shallow");
    if (text === "folder") mkdirSync(path);
    else writeFileSync(path, text === "HEAD" ? `${git("rev-parse", "HEAD")}\n` : text);
    expect(await restore()).toEqual([".git/shallow"]);
    expect(git("rev-list", "--count", "HEAD")).toBe("2");
    expect(await restore()).toEqual([]);
  },
);

test("LOOP-18: the boundary of a shallow clone is put back, and a planted one removed", async () => {
  const { clone } = shallowClone();
  const { dir, git, read } = clone;
  const was = read(".git/shallow");
  const restore = await guarded(clone);
  writeFileSync(join(dir, ".git/shallow"), `${git("rev-parse", "HEAD")}\n`);
  expect(git("rev-list", "--count", "HEAD")).toBe("1");
  expect(await restore()).toEqual([".git/shallow"]);
  expect(read(".git/shallow")).toBe(was);
  expect(git("rev-list", "--count", "HEAD")).toBe("2");
});

test("LOOP-18: in a shallow clone an agent may fetch with --depth, and all of the history", async () => {
  const { origin, clone } = shallowClone();
  const { dir, git } = clone;
  const restore = await guarded(clone);
  for (let n = 5; n <= 8; n++) origin.git("commit", "-qm", `${n}`, "--allow-empty");
  git("fetch", "-q", "--depth=1");
  const both = clone.read(".git/shallow");
  expect(both.split("\n")).toHaveLength(3);
  expect(await restore()).toEqual([]);
  expect(clone.read(".git/shallow")).toBe(both);
  expect(await restore()).toEqual([]);
  git("fetch", "-q", "--deepen=1");
  expect(await restore()).toEqual([]);
  git("fetch", "-q", "--unshallow");
  expect(await restore()).toEqual([]);
  expect(existsSync(join(dir, ".git/shallow"))).toBe(false);
  expect(git("fsck", "--no-dangling")).toBe("");
});

test("LOOP-18: beside a line that git fetch wrote, a planted one is removed", async () => {
  const { origin, clone } = shallowClone();
  const { dir, git, read } = clone;
  const restore = await guarded(clone);
  for (let n = 5; n <= 8; n++) origin.git("commit", "-qm", `${n}`, "--allow-empty");
  git("fetch", "-q", "--depth=1");
  const fetched = read(".git/shallow");
  writeFileSync(join(dir, ".git/shallow"), `${git("rev-parse", "HEAD")}\n${fetched}`);
  expect(await restore()).toEqual([".git/shallow"]);
  expect(read(".git/shallow").split("\n").toSorted()).toEqual(fetched.split("\n").toSorted());
  expect(await restore()).toEqual([]);
});
