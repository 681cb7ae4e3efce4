import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, repositoryAt, tempFolder } from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { checkOutClean, fillCleanTree, openCleanTree, untrackedIn } from "./clean-tree.ts";

afterEach(removeTempRepositories);

async function opened(below = "", format = "sha1") {
  const made = repositoryAt(tempFolder());
  made.git("init", "-q", `--object-format=${format}`, "--template=");
  for (const name of ["a.txt", "check.sh", "gone.txt", "sub/b.txt"]) made.write(name, `${name}\n`);
  made.write("sub/.gitattributes", "*.txt filter=evil\n");
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "start");
  made.git("config", "filter.evil.smudge", `touch ${made.dir}/smudged; cat`);
  const head = made.git("rev-parse", "HEAD");
  const ws = await openRunWorkspace(join(made.dir, below), gitEnv);
  const clean = await openCleanTree(ws, join(tempFolder(), "clean"));
  const tree = repositoryAt(join(clean.folder, "tree"));
  const files = () => Object.keys(tree.hashes()).filter((path) => path !== ".git");
  return { ...made, head, ws, clean, tree, files };
}

test.each(["sha1", "sha256"])(
  "LOOP-18: a clean tree (%s) holds the work, and what is guarded as it was",
  async (format) => {
    const { head, ws, clean, tree, files, write, remove, dir, git } = await opened("", format);
    write("a.txt", "work\n");
    write("new.txt", "new\n");
    write("check.sh", "exit 0\n");
    write(".npmrc", "script-shell=x\n");
    remove("gone.txt");
    const paths = ["a.txt", "new.txt", "check.sh", ".npmrc", "gone.txt"];
    const asBefore = { from: head, paths: ["check.sh", ".npmrc"] };
    const { commit } = await fillCleanTree(ws, clean, { head, paths, asBefore });
    expect(files().toSorted()).toEqual(["a.txt", "check.sh", "new.txt", "sub/.gitattributes", "sub/b.txt"]);
    expect(tree.read("a.txt")).toBe("work\n");
    expect(tree.read("check.sh")).toBe("check.sh\n");
    expect(tree.git("rev-parse", "HEAD", "HEAD^")).toBe(`${commit}\n${head}`);
    expect(tree.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(dir, "smudged"))).toBe(false);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect(git("diff", "--cached", "--name-only")).toBe("");
  },
);

test("LOOP-18: whatever verification did to the files of the clean tree, the next content is exact", async () => {
  const { head, ws, clean, tree, files } = await opened();
  const content = { head, paths: [], asBefore: { from: head, paths: [] } };
  const { commit } = await fillCleanTree(ws, clean, content);
  const before = tree.hashes();
  tree.write("check.sh", "exit 0\n");
  tree.git("config", "user.name", "A test");
  rmSync(join(clean.folder, "tree/sub"), { recursive: true });
  tree.write("sub", "a file\n");
  await checkOutClean(ws, clean, commit);
  expect(tree.hashes()).toEqual(before);
  rmSync(join(clean.folder, "tree/.git"));
  rmSync(join(clean.folder, "git"), { recursive: true });
  tree.write("a.txt", "other\n");
  tree.write("node_modules/x/index.js", "");
  await fillCleanTree(ws, clean, content);
  expect(tree.read("a.txt")).toBe("a.txt\n");
  expect(await untrackedIn(ws, clean)).toEqual(["node_modules/"]);
  expect(files()).toContain("node_modules/x/index.js");
  expect(readdirSync(clean.folder).toSorted()).toEqual(["git", "tree"]);
});

test("LOOP-18: unchanged files of a clean tree are not written again", async () => {
  const { head, ws, clean, tree, write } = await opened();
  const asBefore = { from: head, paths: [] };
  await fillCleanTree(ws, clean, { head, paths: [], asBefore });
  const inode = () =>
    readFileSync(join(clean.folder, "tree/sub/b.txt")) && tree.git("ls-files", "--debug", "sub/b.txt");
  const before = inode();
  write("a.txt", "work\n");
  await fillCleanTree(ws, clean, { head, paths: ["a.txt"], asBefore });
  expect(tree.read("a.txt")).toBe("work\n");
  expect(inode()).toBe(before);
});

test("LOOP-18: a project below the top of its work tree", async () => {
  const { head, ws, clean, write } = await opened("sub");
  write("sub/c.txt", "c\n");
  await fillCleanTree(ws, clean, { head, paths: ["c.txt"], asBefore: { from: head, paths: [] } });
  expect(clean.root).toBe(join(clean.folder, "tree/sub/"));
  expect(readdirSync(clean.root).toSorted()).toEqual([".gitattributes", "b.txt", "c.txt"]);
});

test("LOOP-18: submodules of a clean tree hold their commits, also those of submodules and after verification changed them", async () => {
  const { dir, git, ws, clean, tree, write, remove } = await opened();
  const add = (at: string, name: string) =>
    git(
      "-C",
      at,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      join(dir, name),
      `deps/${name}`,
    );
  for (const name of ["inner", "lib"]) {
    write(`${name}/${name}.txt`, name);
    git("init", "-q", "--template=", name);
    if (name === "lib") add("lib", "inner");
    git("-C", name, "add", "-A");
    git("-C", name, "commit", "-qm", name);
  }
  add(".", "lib");
  const inner = "deps/lib/deps/inner/inner.txt";
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive");
  git("commit", "-qm", "submodules");
  const content = (paths: string[]) => {
    const head = git("rev-parse", "HEAD");
    return { head, paths, asBefore: { from: head, paths: [] } };
  };
  expect((await fillCleanTree(ws, clean, content([]))).missing).toEqual([]);
  expect([tree.read("deps/lib/lib.txt"), tree.read(inner)]).toEqual(["lib", "inner"]);
  expect(tree.git("status", "--porcelain")).toBe("");
  expect(await untrackedIn(ws, clean)).toEqual([]);
  // As verification may leave it.
  tree.write("deps/lib/new.txt", "new");
  tree.write(inner, "other");
  expect(await untrackedIn(ws, clean)).toEqual(["deps/lib/new.txt"]);
  tree.remove("deps/lib/deps");
  tree.git("init", "-q", "elsewhere");
  symlinkSync("../../elsewhere", join(clean.folder, "tree/deps/lib/deps"));
  write("deps/lib/lib.txt", "work");
  git("-C", "deps/lib", "commit", "-qam", "work");
  await fillCleanTree(ws, clean, content(["deps/lib"]));
  expect([tree.read("deps/lib/lib.txt"), tree.read(inner)]).toEqual(["work", "inner"]);
  expect(readdirSync(join(clean.folder, "tree/elsewhere"))).toEqual([".git"]);
  // One whose objects are gone is named, one that the project has not is empty there too.
  remove(".git/modules/deps/lib/modules/deps/inner/objects");
  mkdirSync(join(dir, ".git/modules/deps/lib/modules/deps/inner/objects"));
  expect((await fillCleanTree(ws, clean, content([]))).missing).toEqual(["deps/lib/deps/inner"]);
  remove("deps/lib");
  remove(".git/modules");
  expect((await fillCleanTree(ws, clean, content([]))).missing).toEqual([]);
  expect(readdirSync(join(clean.folder, "tree/deps/lib"))).toEqual([]);
});
