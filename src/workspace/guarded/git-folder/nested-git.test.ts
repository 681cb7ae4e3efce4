import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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
  repositoryAt,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { onlyInLongForm } from "../../../../test/test-size.ts";

afterEach(removeTempRepositories);

async function guarded(dir: string): Promise<() => Promise<readonly string[]>> {
  mkdirSync(join(dir, ".ralph"));
  return (await guardedAt(dir)).restore;
}

/** A repository with a linked work tree. */
function linked(): TempRepository & { readonly tree: string } {
  const made = tempRepository();
  const tree = join(tempFolder(), "wt");
  made.git("worktree", "add", "-q", tree, "-b", "other");
  return { ...made, tree };
}

test("LOOP-18: what leads git to another linked work tree's configuration is put back", async () => {
  const { dir, tree } = linked();
  const restore = await guarded(dir);
  const own = join(dir, ".git/worktrees/wt");
  const files = ["commondir", "gitdir"].map((name) => join(own, name));
  const were = [...files, join(tree, ".git")].map((file) => readFileSync(file, "utf8"));
  cpSync(join(dir, ".git"), join(tree, "evil"), { recursive: true });
  writeFileSync(join(own, "commondir"), `${tree}/evil\n`);
  writeFileSync(join(own, "gitdir"), "/nowhere/.git\n");
  writeFileSync(join(own, "config.worktree"), "[core]\n\tfsmonitor = evil\n");
  writeFileSync(join(tree, ".git"), `gitdir: ${tree}/evil/worktrees/wt\n`);
  expect((await restore()).toSorted()).toEqual([
    ".git/worktrees/wt/commondir",
    ".git/worktrees/wt/config.worktree",
    ".git/worktrees/wt/gitdir",
    join(tree, ".git"),
  ]);
  expect([...files, join(tree, ".git")].map((file) => readFileSync(file, "utf8"))).toEqual(were);
  expect(existsSync(join(own, "config.worktree"))).toBe(false);
  expect(await restore()).toEqual([]);
});

test("LOOP-18: an agent in a linked work tree redirects neither the main tree nor its siblings", async () => {
  const { dir, tree, git } = linked();
  const sibling = join(tempFolder(), "sibling");
  git("worktree", "add", "-q", sibling, "-b", "third");
  const restore = await guarded(tree);
  writeFileSync(join(dir, ".git/commondir"), "/nowhere\n");
  writeFileSync(join(dir, ".git/worktrees/sibling/commondir"), "/nowhere\n");
  expect((await restore()).toSorted()).toEqual([".git/commondir", ".git/worktrees/sibling/commondir"]);
  expect(git("-C", sibling, "status", "--porcelain")).toBe("");
});

test("LOOP-18: a linked work tree that was removed stays so, and no link leads ralph into another repository", async () => {
  const { dir, tree, git } = linked();
  const second = join(tempFolder(), "second");
  git("worktree", "add", "-q", second, "-b", "second");
  const restore = await guarded(dir);
  const other = tempRepository();
  git("worktree", "remove", tree);
  renameSync(second, `${second}-moved`);
  symlinkSync(other.dir, second);
  expect(await restore()).toEqual([]);
  expect(existsSync(tree)).toBe(false);
  expect(other.git("status", "--porcelain")).toBe("");
});

test("LOOP-18: files in place of the folders of linked work trees stop nothing", async () => {
  const { dir, git } = linked();
  const restore = await guarded(dir);
  rmSync(join(dir, ".git/worktrees"), { recursive: true });
  writeFileSync(join(dir, ".git/worktrees"), "x");
  expect(await restore()).toEqual([]);
  expect(git("log", "-1", "--format=%s")).not.toBe("");
});

test("LOOP-18: the configuration, hooks and attributes of submodules are put back, those within others too", async () => {
  const inner = tempRepository();
  const outer = tempRepository();
  const allow = ["-c", "protocol.file.allow=always"];
  outer.git(...allow, "submodule", "add", "-q", inner.dir, "deep/b");
  outer.git("commit", "-qm", "b");
  const { dir, git } = tempRepository();
  git(...allow, "submodule", "add", "-q", outer.dir, "vendor/a");
  git(...allow, "submodule", "update", "-q", "--init", "--recursive");
  git("commit", "-qm", "a");
  const modules = [".git/modules/vendor/a", ".git/modules/vendor/a/modules/deep/b"];
  writeFileSync(join(dir, ".git/modules/vendor/a/hooks/post-checkout"), "#!/bin/sh\n", { mode: 0o755 });
  const restore = await guarded(dir);
  for (const module of modules) {
    writeFileSync(join(dir, module, "config"), "[core]\n\tfsmonitor = evil\n");
    writeFileSync(join(dir, module, "hooks/pre-commit"), "#!/bin/sh\nevil\n", { mode: 0o755 });
    mkdirSync(join(dir, module, "info"), { recursive: true });
    writeFileSync(join(dir, module, "info/attributes"), "* filter=evil\n");
  }
  rmSync(join(dir, ".git/modules/vendor/a/hooks/post-checkout"));
  writeFileSync(join(dir, "vendor/a/.git"), "gitdir: /nowhere\n");
  expect((await restore()).toSorted()).toEqual(
    [
      ".git/modules/vendor/a/hooks/post-checkout",
      "vendor/a/.git",
      ...modules.flatMap((module) =>
        ["config", "hooks/pre-commit", "info/attributes"].map((name) => `${module}/${name}`),
      ),
    ].toSorted(),
  );
  expect(git("status", "--porcelain", "--ignore-submodules=none")).toBe("");
  expect(await restore()).toEqual([]);
});

/** A repository with a submodule of two commits at `lib`, its git folder, and git in the submodule. */
function withSubmodule(...args: readonly string[]) {
  const inner = tempRepository();
  inner.git("commit", "-qm", "second", "--allow-empty");
  const made = tempRepository();
  const url = `file://${inner.dir}`;
  made.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", ...args, url, "lib");
  made.git("commit", "-qm", "lib");
  const lib = repositoryAt(join(made.dir, "lib"));
  return { ...made, inner, lib, module: join(made.dir, ".git/modules/lib") };
}

test("LOOP-18: objects of a submodule in a new alternate are taken back, and its alternate is removed", async (context) => {
  onlyInLongForm(context);
  const { dir, lib, module } = withSubmodule();
  const restore = await guarded(dir);
  lib.git("commit", "-qm", "third", "--allow-empty");
  const temp = join(dir, ".ralph/tmp/o");
  mkdirSync(temp, { recursive: true });
  for (const name of readdirSync(join(module, "objects")).filter((one) => one.length === 2))
    renameSync(join(module, "objects", name), join(temp, name));
  writeFileSync(join(module, "objects/info/alternates"), `${temp}\n`);
  expect(lib.git("fsck", "--no-dangling")).toBe("");
  expect(await restore()).toEqual([".git/modules/lib/objects/info/alternates"]);
  rmSync(temp, { recursive: true });
  expect(lib.git("fsck", "--no-dangling")).toBe("");
  expect(lib.git("log", "-1", "--format=%s")).toBe("third");
  expect(await restore()).toEqual([]);
});

test("LOOP-18: a list that hides the history of a submodule is put back", async () => {
  const { dir, lib, module } = withSubmodule();
  const restore = await guarded(dir);
  writeFileSync(join(module, "shallow"), `${lib.git("rev-parse", "HEAD")}\n`);
  expect(lib.git("rev-list", "--count", "HEAD")).toBe("1");
  expect(await restore()).toEqual([".git/modules/lib/shallow"]);
  expect(lib.git("rev-list", "--count", "HEAD")).toBe("2");
  expect(await restore()).toEqual([]);
});

test("LOOP-18: in a shallow submodule an agent may fetch, and a submodule that it removed stays so", async () => {
  const { dir, inner, lib, module } = withSubmodule("--depth=1");
  const restore = await guarded(dir);
  for (const name of ["third", "fourth"]) inner.git("commit", "-qm", name, "--allow-empty");
  lib.git("fetch", "-q", "--depth=1");
  expect(await restore()).toEqual([]);
  lib.git("fetch", "-q", "--unshallow");
  expect(await restore()).toEqual([]);
  expect(lib.git("fsck", "--no-dangling")).toBe("");
  rmSync(module, { recursive: true });
  expect(await restore()).toEqual([]);
  expect(existsSync(module)).toBe(false);
});
