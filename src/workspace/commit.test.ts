import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  type TempRepository,
  tempRepository,
  writeHook,
} from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { safe } from "../base/safe-text.ts";
import { commitPaths } from "./commit.ts";
import { head, status } from "./git/status.ts";
import { createBranch } from "./open-workspace.ts";
import { revertCommits } from "./revert.ts";

afterEach(removeTempRepositories);

/** Returns the changes of the newest commit, as `A path` lines. */
function lastCommit({ git }: TempRepository): string[] {
  const fields = git("show", "-z", "--no-renames", "--format=", "--name-status", "HEAD")
    .split("\0")
    .filter(Boolean);
  return fields.flatMap((field, index) => (index % 2 === 0 ? [`${field} ${fields[index + 1]}`] : [])).sort();
}

const nasty = [
  " leading and trailing ",
  "quote\"d 'n `back`",
  "new\nline",
  "tab\there",
  "-rf",
  "--help",
  ":(glob)**",
  ":!x",
  "*.txt",
  "[a]",
  "back\\slash",
  "ünï/çødé/日本語 🦀",
  "$(touch pwned)",
  "dir with space/-x",
];

const unchanged = { tracked: [], untracked: [], leftAlone: [], isPartial: false };

test("LOOP-9: names of every kind are committed, changed and deleted, and nothing else is", async () => {
  const repository = tempRepository({ "a.txt": "a", "[b].txt": "keep", "plain/file": "keep" });
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  for (const path of nasty) repository.write(path, "1");
  repository.write("other.txt", "not ours");
  const created = await commitPaths(ws, { paths: nasty, message: safe`add` });
  expect(created).toEqual({ hash: repository.git("rev-parse", "HEAD"), created: true });
  expect(lastCommit(repository)).toEqual(nasty.map((path) => `A ${path}`).sort());
  expect(await status(ws)).toEqual({ ...unchanged, untracked: ["other.txt"] });

  for (const path of nasty.slice(7)) repository.write(path, "2");
  for (const path of nasty.slice(0, 7)) repository.remove(path);
  expect([...(await status(ws)).tracked].sort()).toEqual([...nasty].sort());
  await commitPaths(ws, { paths: nasty, message: safe`change` });
  const kinds = nasty.map((path, index) => `${index < 7 ? "D" : "M"} ${path}`);
  expect(lastCommit(repository)).toEqual(kinds.sort());
  expect(await status(ws)).toEqual({ ...unchanged, untracked: ["other.txt"] });
});

test("files that become folders, folders that become files or links, and links are committed", async () => {
  const repository = tempRepository({ f: "file", "d/x": "x", "d/y": "y", "l/x": "x", "to/x": "other" });
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  for (const path of ["f", "d", "l"]) repository.remove(path);
  repository.write("f/deep/x", "x");
  repository.write("d", "now a file");
  symlinkSync("to", join(repository.dir, "l"));
  symlinkSync("/etc/passwd", join(repository.dir, "outside"));
  const { tracked, untracked } = await status(ws);
  await commitPaths(ws, { paths: [...tracked, ...untracked], message: safe`swap` });
  const swapped = ["A d", "A f/deep/x", "A l", "A outside", "D d/x", "D d/y", "D f", "D l/x"];
  expect(lastCommit(repository)).toEqual(swapped);
  expect(await status(ws)).toEqual(unchanged);
  expect(repository.git("cat-file", "-p", "HEAD:outside")).toBe("/etc/passwd");
});

test("what a person staged stays staged and out of the commit, in a subfolder too", async () => {
  const repository = tempRepository({ "app/a.txt": "a", "app/b.txt": "b", "c.txt": "c" });
  const ws = await openRunWorkspace(join(repository.dir, "app"), gitEnv);
  for (const path of ["app/a.txt", "app/b.txt", "c.txt", "app/staged.txt"]) repository.write(path, "changed");
  repository.git("add", "app/b.txt", "app/staged.txt", "c.txt");
  repository.write("c.txt", "changed after staging");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`only a` });
  expect(lastCommit(repository)).toEqual(["M app/a.txt"]);
  expect(repository.git("status", "--porcelain").split("\n")).toEqual([
    "M  app/b.txt",
    "A  app/staged.txt",
    "MM c.txt",
  ]);
});

test("what a person stages between the last look and the commit stays out of it too", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b" });
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  for (const path of ["a.txt", "b.txt"]) repository.write(path, "changed");
  expect((await status(ws)).tracked).toEqual(["a.txt", "b.txt"]);
  repository.git("add", "b.txt");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`only a` });
  expect(lastCommit(repository)).toEqual(["M a.txt"]);
  expect(repository.git("status", "--porcelain").split("\n")).toEqual(["M  b.txt"]);
});

test("what was staged at the last look stays out of the commit, though git is not asked again", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  for (const path of ["a.txt", "b.txt", "new.txt"]) repository.write(path, "changed");
  repository.git("add", "b.txt", "new.txt");
  repository.git("rm", "-q", "c.txt");
  await status(ws);
  await commitPaths(ws, { paths: ["a.txt"], message: safe`only a` });
  expect(lastCommit(repository)).toEqual(["M a.txt"]);
  expect(repository.git("status", "--porcelain").split("\n")).toEqual(["M  b.txt", "D  c.txt", "A  new.txt"]);
});

test("what was seen before HEAD moved does not count", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b" });
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  repository.write("a.txt", "changed");
  repository.write("b.txt", "changed");
  repository.git("commit", "-qam", "both");
  await status(ws);
  // Leaves the index file as it is.
  repository.git("update-ref", "HEAD", "HEAD~1");
  repository.write("a.txt", "again");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`only a` });
  expect(lastCommit(repository)).toEqual(["M a.txt"]);
});

test("nothing to commit gives HEAD and says so", async () => {
  const repository = tempRepository();
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const hash = repository.git("rev-parse", "HEAD");
  expect(await commitPaths(ws, { paths: [], message: safe`x` })).toEqual({ hash, created: false });
  expect(await commitPaths(ws, { paths: ["a.txt", "gone.txt"], message: safe`x` })).toEqual({
    hash,
    created: false,
  });
});

test("TASK-8: a message is data, byte for byte: no option, no comment, no scissors, no encoding of its own", async () => {
  const repository = tempRepository();
  const { git } = repository;
  git("config", "commit.verbose", "true");
  git("config", "commit.cleanup", "strip");
  git("config", "i18n.commitEncoding", "ISO-8859-1");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const scissors = "# ------------------------ >8 ------------------------";
  const message = safe`--amend -m "x" $(id)\n\n# no comment  \n${scissors}\n日本語 🦀 é\n\nRalph-Task: t-1`;
  repository.write("a.txt", "b");
  await commitPaths(ws, { paths: ["a.txt"], message });
  expect(git("cat-file", "commit", "HEAD").split("\n\n").slice(1).join("\n\n")).toBe(message);
  expect(git("log", "-1", "--encoding=UTF-8", "--format=%B")).toBe(message);
  expect(git("rev-list", "--count", "HEAD")).toBe("2");
  expect(git("log", "-1", "--format=%an %ae %cn")).toBe("Ann ann@example.com Ann");
});

test("a failing hook is told with its last lines, and leaves every file and HEAD as they were", async () => {
  const repository = tempRepository();
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  writeHook(repository, "pre-commit", "echo 'lint: a.txt is bad' >&2; exit 1");
  repository.write("a.txt", "b");
  const before = [repository.hashes(), await head(ws)];
  const failed = commitPaths(ws, { paths: ["a.txt"], message: safe`x` });
  await expect(failed).rejects.toMatchObject({
    code: "RALPH_GIT_COMMIT_REFUSED",
    message: expect.stringContaining("lint: a.txt is bad"),
  });
  expect([repository.hashes(), await head(ws)]).toEqual(before);
  expect((await status(ws)).tracked).toEqual(["a.txt"]);

  const made = await commitPaths(ws, { paths: ["a.txt"], message: safe`x`, hooks: false });
  expect(made.created).toBe(true);
});

test("hooks see an ordinary commit: their own pathspecs work, also beside what a person staged", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b" });
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  writeHook(
    repository,
    "pre-commit",
    "git diff --cached --name-only -- '*.txt' > seen; echo \"$GIT_LITERAL_PATHSPECS\" >> seen",
  );
  repository.write("a.txt", "2");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`x` });
  expect(repository.read("seen")).toBe("a.txt\n\n");
  repository.write("a.txt", "3");
  repository.write("b.txt", "staged by a person");
  repository.git("add", "b.txt");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`x` });
  expect(repository.read("seen")).toBe("a.txt\n\n");
});

test("a signing program that fails is told", async () => {
  const repository = tempRepository();
  repository.git("config", "commit.gpgsign", "true");
  repository.git("config", "gpg.program", "/bin/false");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  repository.write("a.txt", "b");
  const failed = commitPaths(ws, { paths: ["a.txt"], message: safe`x` });
  await expect(failed).rejects.toMatchObject({
    code: "RALPH_GIT_COMMIT_FAILED",
    hint: expect.stringMatching(/signing/),
  });
});

test("a lock that goes is waited for; one that stays is explained and never deleted", async () => {
  const repository = tempRepository();
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const lock = join(repository.dir, ".git/index.lock");
  repository.write("a.txt", "b");
  writeFileSync(lock, "held");
  setTimeout(() => repository.remove(".git/index.lock"), 200);
  expect((await commitPaths(ws, { paths: ["a.txt"], message: safe`x` })).created).toBe(true);

  repository.write("a.txt", "c");
  writeFileSync(lock, "held");
  const stuck = commitPaths(ws, { paths: ["a.txt"], message: safe`x` });
  await expect(stuck).rejects.toMatchObject({
    code: "RALPH_GIT_LOCKED",
    message: expect.stringContaining(lock),
  });
  expect(readFileSync(lock, "utf8")).toBe("held");
  expect((await status(ws)).tracked).toEqual(["a.txt"]);
});

test("LOOP-19: a branch is made once; names that are taken or none are refused", async () => {
  const { dir, git, write, hashes } = tempRepository();
  const ws = await openRunWorkspace(dir, gitEnv);
  write("a.txt", "dirty");
  const before = hashes();
  await createBranch(ws, "feature/x");
  await createBranch(ws, "feature/x");
  expect(git("branch", "--show-current")).toBe("feature/x");
  for (const name of ["main", "--orphan", "a..b", "-f", ""]) {
    await expect(createBranch(ws, name)).rejects.toMatchObject({ code: "RALPH_GIT_BRANCH" });
  }
  expect(git("branch", "--format=%(refname:short)")).toBe("feature/x\nmain");
  expect(hashes()).toEqual(before);
});

test("commits are reverted newest first, or not at all", async () => {
  const repository = tempRepository({ "a.txt": "1\n", "b.txt": "1\n" });
  const { git, write, read, dir } = repository;
  const ws = await openRunWorkspace(dir, gitEnv);
  write("a.txt", "2\n");
  const one = await commitPaths(ws, { paths: ["a.txt"], message: safe`one` });
  write("a.txt", "3\n");
  const two = await commitPaths(ws, { paths: ["a.txt"], message: safe`two` });
  const failed = revertCommits(ws, [one.hash]);
  await expect(failed).rejects.toMatchObject({
    code: "RALPH_GIT_REVERT_FAILED",
    message: expect.stringMatching(/a\.txt/),
  });
  expect([git("status", "--porcelain"), await head(ws)]).toEqual(["", two.hash]);

  write("b.txt", "a person's\n");
  const after = await revertCommits(ws, [two.hash, one.hash]);
  expect([read("a.txt"), read("b.txt"), await head(ws)]).toEqual(["1\n", "a person's\n", after]);
  expect(git("rev-list", "--count", "HEAD")).toBe("5");
});

test("a file whose execute bit changes is committed with it", async () => {
  const repository = tempRepository();
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  chmodSync(join(repository.dir, "a.txt"), 0o755);
  const { tracked } = await status(ws);
  await commitPaths(ws, { paths: tracked, message: safe`x` });
  expect(repository.git("ls-tree", "HEAD", "a.txt")).toMatch(/^100755/);
  expect(existsSync(join(repository.dir, ".git/index.lock"))).toBe(false);
});
