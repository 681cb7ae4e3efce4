import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  tempFolder,
  tempRepository,
} from "../../test/temp-repository.ts";
import { currentBranch, head, status } from "./git/status.ts";
import { initRepository, openWorkspace } from "./open-workspace.ts";

afterEach(removeTempRepositories);

test("a repository without git, commit or identity is refused with the command that fixes it", async () => {
  const noPath = { ...gitEnv, PATH: "/nonexistent" };
  await expect(openWorkspace(tempFolder(), noPath)).rejects.toMatchObject({ code: "RALPH_GIT_MISSING" });

  const plain = tempFolder();
  const outside = { code: "RALPH_GIT_NO_REPOSITORY", hint: expect.stringContaining("git init") };
  await expect(openWorkspace(plain, gitEnv)).rejects.toMatchObject(outside);
  await expect(openWorkspace(join(plain, "gone"), gitEnv)).rejects.toMatchObject({
    code: "RALPH_GIT_NO_REPOSITORY",
  });

  const empty = repositoryAt(tempFolder());
  empty.git("init", "--quiet");
  await expect(openWorkspace(empty.dir, gitEnv)).rejects.toMatchObject({ code: "RALPH_GIT_NO_COMMIT" });
  await expect(openWorkspace(empty.dir, gitEnv, { needCommit: false })).resolves.toMatchObject({
    root: empty.dir,
  });

  const { GIT_COMMITTER_EMAIL: _, GIT_AUTHOR_EMAIL: __, ...nobody } = gitEnv;
  const { dir, git } = tempRepository();
  git("config", "user.useConfigOnly", "true");
  const noIdentity = {
    code: "RALPH_GIT_NO_IDENTITY",
    hint: expect.stringContaining("git config --global user.name"),
  };
  await expect(openWorkspace(dir, nobody)).rejects.toMatchObject(noIdentity);

  git("config", "core.bare", "true");
  await expect(openWorkspace(join(dir, ".git"), gitEnv)).rejects.toMatchObject({
    hint: expect.stringContaining("clone"),
  });
});

test("a subfolder, a linked work tree and a submodule open, and see only what is theirs", async () => {
  const repository = tempRepository({ "app/a.txt": "a", "other/b.txt": "b" });
  repository.write("app/a.txt", "changed");
  repository.write("app/new.txt", "new");
  repository.write("other/b.txt", "changed");
  const app = await openWorkspace(join(repository.dir, "app"), gitEnv, { scope: "." });
  expect(app).toMatchObject({ topLevel: repository.dir, prefix: "app/" });
  expect(await status(app)).toEqual({
    tracked: ["a.txt"],
    untracked: ["new.txt"],
    leftAlone: [],
    isPartial: false,
  });

  const whole = await openWorkspace(join(repository.dir, "app"), gitEnv);
  expect((await status(whole)).tracked).toEqual(["a.txt", "../other/b.txt"]);
  const scope = await openWorkspace(join(repository.dir, "app"), gitEnv, { scope: "../other" });
  expect((await status(scope)).tracked).toEqual(["../other/b.txt"]);

  const linked = join(tempFolder(), "linked");
  repository.git("worktree", "add", "--quiet", "-b", "side", linked);
  const worktree = await openWorkspace(linked, gitEnv);
  expect(worktree.commonDir).toBe(join(repository.dir, ".git"));
  expect(await currentBranch(worktree)).toBe("side");
  expect(await status(worktree)).toEqual({ tracked: [], untracked: [], leftAlone: [], isPartial: false });

  const outer = tempRepository();
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repository.dir, "sub");
  const sub = await openWorkspace(join(outer.dir, "sub"), gitEnv);
  expect(sub.gitDir).toBe(join(outer.dir, ".git/modules/sub"));
  expect(await head(sub)).toBe(repository.git("rev-parse", "HEAD"));
});

test("head and branch are right where the ref is loose, packed or detached", async () => {
  const { dir, git } = tempRepository();
  const ws = await openWorkspace(dir, gitEnv);
  const hash = git("rev-parse", "HEAD");
  expect([await head(ws), await currentBranch(ws)]).toEqual([hash, "main"]);
  git("pack-refs", "--all", "--prune");
  expect([await head(ws), await currentBranch(ws)]).toEqual([hash, "main"]);
  git("checkout", "--quiet", "--detach");
  expect([await head(ws), await currentBranch(ws)]).toEqual([hash, null]);
});

test("LEARN-3: record files and their temporary files never count, other files beside them do", async () => {
  const { dir, write } = tempRepository();
  const ws = await openWorkspace(dir, gitEnv, { recordsDir: "notes/records" });
  const names = ["learning-t-1-20260117-090000.yaml", "aggregated/dates.yaml", ".ralph-0123456789abcdef.tmp"];
  for (const name of [...names, "mine.yaml", "sub/learning-x.yaml"]) write(`notes/records/${name}`, "x");
  write("learning-t-1-20260117-090000.yaml", "x");
  expect((await status(ws)).untracked).toEqual([
    "learning-t-1-20260117-090000.yaml",
    "notes/records/mine.yaml",
    "notes/records/sub/learning-x.yaml",
  ]);
});

test("LOOP-9: .ralph, .ralph-context.json and ignored files never count; a rename is its two paths", async () => {
  const { dir, git, write } = tempRepository({
    "a.txt": "a\n".repeat(50),
    ".gitignore": "*.log\n",
    ".ralph/config.yaml": "",
  });
  const ws = await openWorkspace(dir, gitEnv);
  git("mv", "a.txt", "b.txt");
  for (const path of [
    ".ralph/config.yaml",
    ".ralph/x",
    ".ralph-context.json",
    "build.log",
    "sub/.ralph-context.json",
  ]) {
    write(path, "new");
  }
  git("init", "--quiet", "nested");
  const { tracked, untracked, leftAlone } = await status(ws);
  expect([...tracked].sort()).toEqual(["a.txt", "b.txt"]);
  expect(untracked).toEqual(["sub/.ralph-context.json"]);
  expect(leftAlone).toEqual(["nested/"]);
});

test("variables that would redirect git are not passed on", async () => {
  const { dir } = tempRepository();
  const other = tempRepository();
  const redirected = {
    ...gitEnv,
    GIT_DIR: join(other.dir, ".git"),
    GIT_WORK_TREE: other.dir,
    GIT_INDEX_FILE: "/x",
  };
  expect(await openWorkspace(dir, redirected)).toMatchObject({ topLevel: dir });
});

test("LOOP-15: initRepository makes a repository that opens, with an identity only where there is none", async () => {
  const dir = join(tempFolder(), "demo");
  const { GIT_COMMITTER_EMAIL: _, GIT_AUTHOR_EMAIL: __, ...rest } = gitEnv;
  const nobody = {
    ...rest,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.useConfigOnly",
    GIT_CONFIG_VALUE_0: "true",
  };
  await initRepository(dir, { "src/a.js": "a", "README.md": "b" }, nobody);
  const repository = repositoryAt(dir);
  expect(repository.git("log", "--format=%ae %s", "--name-only")).toBe(
    "ralph@localhost First commit\n\nREADME.md\nsrc/a.js",
  );
  await expect(openWorkspace(dir, nobody)).resolves.toMatchObject({ prefix: "" });
  await expect(initRepository(dir, {}, nobody)).rejects.toMatchObject({ code: "RALPH_GIT_EXISTS" });

  const named = join(tempFolder(), "named");
  await initRepository(named, { "a.txt": "a" }, gitEnv);
  expect(repositoryAt(named).git("log", "--format=%ae")).toBe("ann@example.com");
  expect(repositoryAt(named).git("config", "--local", "--list")).not.toContain("user.");
  expect(existsSync(join(named, ".git/hooks"))).toBe(false);
});

test("a line break in the path is refused by that name, spaces and other letters are not", async () => {
  const odd = repositoryAt(join(tempFolder(), "sp ace \u00fc"));
  mkdirSync(odd.dir);
  odd.git("init", "--quiet");
  await expect(openWorkspace(odd.dir, gitEnv, { needCommit: false })).resolves.toMatchObject({ prefix: "" });
  const broken = repositoryAt(join(tempFolder(), "two\nlines"));
  mkdirSync(broken.dir);
  broken.git("init", "--quiet");
  await expect(openWorkspace(broken.dir, gitEnv, { needCommit: false })).rejects.toMatchObject({
    message: expect.stringContaining("line break"),
  });
});

test("a repository that git refuses for another reason is not to be created again", async () => {
  const { dir, git } = tempRepository();
  git("config", "branch.autoSetupRebase", "NEVER");
  await expect(openWorkspace(dir, gitEnv)).rejects.toMatchObject({
    message: expect.stringContaining("malformed value"),
    hint: "Fix what git reports, then run again.",
  });
  await expect(openWorkspace(tempFolder(), gitEnv)).rejects.toMatchObject({
    hint: expect.stringContaining("git init"),
  });
});
