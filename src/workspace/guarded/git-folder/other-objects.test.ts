import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { guardedAt } from "../../../../test/guarded-repository.ts";
import {
  removeTempRepositories,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { variants } from "../../../../test/test-size.ts";

afterEach(removeTempRepositories);

/** A guarded repository with a folder for an agent's temporary files. */
async function guarded(prepare: (repository: TempRepository) => void = () => {}) {
  const repository = tempRepository();
  repository.write(".ralph/.gitignore", "*\n");
  prepare(repository);
  const noted = await guardedAt(repository.dir);
  const temp = join(repository.dir, ".ralph/tmp/i-1");
  mkdirSync(temp, { recursive: true });
  return { ...repository, ...noted, temp };
}

/** Moves the repository's loose objects to a folder that `alternates` names. */
function moveObjects({ dir }: TempRepository, folder: string, named: string = folder): void {
  const objects = join(dir, ".git/objects");
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(objects).filter((one) => one.length === 2))
    renameSync(join(objects, name), join(folder, name));
  writeFileSync(join(objects, "info/alternates"), `${named}\n`);
}

test("LOOP-18: objects in a new alternate in the project are taken back before the folder is removed", async () => {
  const work = await guarded();
  const { dir, git, temp, restore, write } = work;
  write("a.txt", "work\n");
  git("add", "a.txt");
  git("commit", "-qm", "work");
  moveObjects(work, join(temp, "o"));
  expect(await restore()).toEqual([".git/objects/info/alternates"]);
  expect(existsSync(join(dir, ".git/objects/info/alternates"))).toBe(false);
  rmSync(temp, { recursive: true });
  expect(git("fsck", "--no-dangling")).toBe("");
  expect(git("log", "-1", "--format=%s")).toBe("work");
  expect(await restore()).toEqual([]);
});

test("LOOP-18: objects are taken back from packs, and from alternates of alternates by relative and quoted paths", async () => {
  const work = await guarded();
  const { dir, git, temp, restore } = work;
  git("repack", "-adq");
  mkdirSync(join(temp, "ö"), { recursive: true });
  mkdirSync(join(temp, "o/info"), { recursive: true });
  renameSync(join(dir, ".git/objects/pack"), join(temp, "ö/pack"));
  moveObjects(work, join(temp, "o"), "../../.ralph/tmp/i-1/o");
  writeFileSync(join(temp, "o/info/alternates"), '"../\\303\\266"\n');
  expect(git("fsck", "--no-dangling")).toBe("");
  await restore();
  rmSync(temp, { recursive: true });
  expect(git("fsck", "--no-dangling")).toBe("");
});

test.each(variants(["all", "pack", "info"], 1))(
  "LOOP-18: objects behind a link (%s) are taken back",
  async (kind) => {
    const work = await guarded();
    const { dir, git, temp, restore } = work;
    const objects = join(dir, ".git/objects");
    if (kind === "pack") git("repack", "-adq");
    if (kind === "info") moveObjects(work, join(temp, "o"));
    const names = readdirSync(objects).filter((name) => (kind === "all" ? name.length === 2 : name === kind));
    for (const name of names) {
      renameSync(join(objects, name), join(temp, name));
      symlinkSync(join(temp, name), join(objects, name));
    }
    expect(git("fsck", "--no-dangling")).toBe("");
    await restore();
    rmSync(temp, { recursive: true });
    expect(git("fsck", "--no-dangling")).toBe("");
  },
);

test("LOOP-18: an alternate outside of the project is put back, and nothing of it is copied", async () => {
  const { dir, restore } = await guarded();
  const other = tempRepository();
  writeFileSync(join(dir, ".git/objects/info/alternates"), join(other.dir, ".git/objects\n"));
  const count = (): number => readdirSync(join(dir, ".git/objects"), { recursive: true }).length;
  const before = count();
  expect(await restore()).toEqual([".git/objects/info/alternates"]);
  expect(count()).toBe(before - 1);
});

test("LOOP-18: a person's alternate stays, and is put back when an agent removes it with its folder", async () => {
  const other = tempRepository();
  const named = join(other.dir, ".git/objects\n");
  const { dir, read, restore } = await guarded(({ write }) => {
    write(".git/objects/info/alternates", named);
  });
  expect(await restore()).toEqual([]);
  rmSync(join(dir, ".git/objects/info"), { recursive: true });
  expect(await restore()).toContain(".git/objects/info/alternates");
  expect(read(".git/objects/info/alternates")).toBe(named);
});

test("LOOP-18: where objects cannot be taken back, their folder is kept and the run stops", async () => {
  const packs = join(tempFolder(), "pack");
  const { dir, git, temp, restore, keepIn } = await guarded(({ dir: at, git: call }) => {
    call("repack", "-adq");
    renameSync(join(at, ".git/objects/pack"), packs);
    symlinkSync(packs, join(at, ".git/objects/pack"));
  });
  mkdirSync(join(temp, "o"));
  renameSync(packs, join(temp, "o/pack"));
  writeFileSync(join(dir, ".git/objects/info/alternates"), join(temp, "o\n"));
  await expect(restore()).rejects.toMatchObject({
    code: "RALPH_GIT_GONE",
    message: expect.stringContaining("The agent moved objects of git out of the repository"),
    hint: expect.stringContaining(keepIn),
  });
  rmSync(temp, { recursive: true });
  renameSync(join(keepIn, "up/.ralph/tmp/i-1/o/pack"), packs);
  expect(git("fsck", "--no-dangling")).toBe("");
});

test("LOOP-18: a last commit whose objects are outside of the project stops the run, and the error says where they are", async () => {
  const work = await guarded();
  const elsewhere = join(tempFolder(), "o");
  moveObjects(work, elsewhere);
  await expect(work.restore()).rejects.toMatchObject({
    code: "RALPH_GIT_GONE",
    message: `The agent moved the objects of the last commit out of the project, to ${elsewhere}.`,
  });
});
