import { chmodSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, tempRepository } from "../../test/temp-repository.ts";
import { beginTask, salvageRef as ref } from "../../test/temp-task.ts";
import { safe } from "../base/safe-text.ts";
import { commitPaths } from "./commit.ts";
import { dropSalvage, dropSaved, restoreSalvage, rollbackRef, salvage } from "./salvage.ts";

afterEach(removeTempRepositories);

test("LOOP-9: what a task left is saved, removed and put back; ignored and untracked files of others stay", async () => {
  const repository = tempRepository({ "a.txt": "a\n", "gone.txt": "g", "d/x": "x", ".gitignore": "*.log\n" });
  repository.write("mine.txt", "mine");
  repository.write("build.log", "log");
  const { ws, git, write, remove, hashes, setAside, dir } = await beginTask(repository);
  const before = hashes();
  write("a.txt", "agent\n");
  remove("gone.txt");
  remove("d");
  write("d", "a file now");
  write("new/deep/file.sh", "#!/bin/sh\n");
  chmodSync(join(dir, "new/deep/file.sh"), 0o755);
  symlinkSync("../a.txt", join(dir, "new/link"));
  write("new/own.log", "ignored");
  git("add", "a.txt");
  const done = hashes();

  const saved = await setAside();
  expect(saved).toEqual({ ref, commit: git("rev-parse", ref) });
  expect(hashes()).toEqual({ ...before, "new/own.log": done["new/own.log"] });
  expect(git("status", "--porcelain")).toBe("?? mine.txt");
  expect(git("log", "-1", "--format=%P %s", ref)).toBe(`${git("rev-parse", "HEAD")} t-1, attempt 1`);

  expect(await restoreSalvage(ws, ref)).toEqual({ restored: true, conflicts: [] });
  expect(hashes()).toEqual(done);
  expect(git("ls-files", "--stage")).toBe(
    git("ls-tree", "-r", "--format=%(objectmode) %(objectname) 0%x09%(path)", "HEAD"),
  );
  expect(existsSync(join(dir, "new/deep/file.sh"))).toBe(true);
  await dropSalvage(ws, ref);
  expect(git("for-each-ref", "refs/ralph")).toBe("");
});

test("LOOP-16: the agent's commits leave the branch and are kept as a parent of the saved commit", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b", "dirty.txt": "d" });
  repository.write("mine.txt", "mine");
  repository.write("dirty.txt", "a person's");
  const { git, write, hashes, setAside, baseline, ws } = await beginTask(repository);
  const before = hashes();
  write("a.txt", "agent");
  write(".ralph/progress.db", "ralph's");
  git("add", "--all", "--force");
  git("commit", "-qm", "agent swept up all that lay about");
  const agentHead = git("rev-parse", "HEAD");
  write("b.txt", "uncommitted");
  const done = hashes();

  await setAside();
  expect(git("rev-parse", "HEAD")).toBe(baseline.head);
  expect(git("branch", "--show-current")).toBe("main");
  expect(git("log", "-1", "--format=%P", ref)).toBe(`${baseline.head} ${agentHead}`);
  expect(hashes()).toEqual({ ...before, ".ralph/progress.db": done[".ralph/progress.db"] });
  expect(git("status", "--porcelain").split("\n")).toEqual(["M dirty.txt", "?? .ralph/", "?? mine.txt"]);
  expect((await restoreSalvage(ws, ref)).restored).toBe(true);
  expect(hashes()).toEqual(done);
});

test("a branch that the agent went to is left, not moved; a detached HEAD goes back too", async () => {
  const { git, write, setAside, baseline, hashes } = await beginTask();
  const before = hashes();
  write("x.txt", "x");
  git("checkout", "-q", "-b", "agents-own");
  git("add", "x.txt");
  git("commit", "-qm", "x");
  const theirs = git("rev-parse", "HEAD");
  await setAside();
  expect([git("branch", "--show-current"), git("rev-parse", "HEAD")]).toEqual(["main", baseline.head]);
  expect(git("rev-parse", "agents-own")).toBe(theirs);
  expect(hashes()).toEqual(before);
  expect(git("status", "--porcelain")).toBe("");

  git("checkout", "-q", "--detach");
  const detached = await beginTask(tempRepository());
  detached.git("checkout", "-q", "--detach");
  const again = await beginTask(detached);
  again.write("a.txt", "y");
  again.git("commit", "-qam", "y");
  await again.setAside();
  expect([again.git("rev-parse", "HEAD"), again.git("branch", "--show-current")]).toEqual([
    again.baseline.head,
    "",
  ]);
  expect(again.git("status", "--porcelain")).toBe("");
});

test("a merge that the agent left unfinished is forgotten, its changes saved", async () => {
  const repository = tempRepository({ "a.txt": "1\n" });
  repository.git("checkout", "-q", "-b", "side");
  repository.write("a.txt", "side\n");
  repository.git("commit", "-qam", "side");
  repository.git("checkout", "-q", "main");
  const { git, write, hashes, setAside, dir, baseline } = await beginTask(repository);
  const before = hashes();
  write("a.txt", "main\n");
  git("commit", "-qam", "agent");
  expect(() => git("merge", "-q", "side")).toThrow();
  await setAside();
  expect(existsSync(join(dir, ".git/MERGE_HEAD"))).toBe(false);
  expect([git("status", "--porcelain"), git("rev-parse", "HEAD"), hashes()]).toEqual([
    "",
    baseline.head,
    before,
  ]);
  expect(git("show", `${ref}:a.txt`)).toContain("<<<<<<<");
});

test("LOOP-9: what was committed meanwhile is merged in; a conflict is named and changes nothing", async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
  const { ws, write, read, setAside, hashes, git } = await beginTask(
    tempRepository({ "a.txt": lines.join("") }),
  );
  write("a.txt", lines.with(1, "agent\n").join(""));
  write("b.txt", "agent\n");
  await setAside();

  write("a.txt", lines.with(18, "other task\n").join(""));
  await commitPaths(ws, { paths: ["a.txt"], message: safe`other task` });
  expect(await restoreSalvage(ws, ref)).toEqual({ restored: true, conflicts: [] });
  expect(read("a.txt")).toBe(lines.with(18, "other task\n").with(1, "agent\n").join(""));
  expect(git("status", "--porcelain").split("\n")).toEqual(["M a.txt", "?? b.txt"]);
  // Called again, as after a crash: what is back already is no conflict.
  expect(await restoreSalvage(ws, ref)).toEqual({ restored: true, conflicts: [] });

  git("checkout", "-q", "a.txt");
  write("a.txt", lines.with(1, "other task too\n").join(""));
  await commitPaths(ws, { paths: ["a.txt"], message: safe`conflict` });
  write("b.txt", "a person's\n");
  const before = hashes();
  expect(await restoreSalvage(ws, ref)).toEqual({ restored: false, conflicts: ["a.txt"] });
  write("a.txt", lines.join(""));
  await commitPaths(ws, { paths: ["a.txt"], message: safe`no conflict` });
  expect(await restoreSalvage(ws, ref)).toEqual({ restored: false, conflicts: ["b.txt"] });
  expect({ ...hashes(), "a.txt": "" }).toEqual({ ...before, "a.txt": "" });
  expect(git("rev-parse", ref)).not.toBe("");
});

test("ignored files in the way are named, and nothing is changed or lost", async () => {
  const { ws, write, remove, setAside, hashes, git } = await beginTask(
    tempRepository({ a: "a", ".gitignore": "*.log\n" }),
  );
  remove("a");
  write("a/x.log", "ignored, in place of the file");
  write("b.txt", "agent");
  const before = hashes();
  await expect(setAside()).rejects.toMatchObject({
    code: "RALPH_GIT_IN_THE_WAY",
    message: expect.stringContaining("a/x.log"),
  });
  expect(hashes()).toEqual(before);
  remove("a");
  await setAside();
  expect(git("status", "--porcelain")).toBe("");

  write("b.txt/x.log", "ignored");
  expect(await restoreSalvage(ws, ref)).toEqual({ restored: false, conflicts: ["b.txt/x.log"] });
});

test("work that does not come back is kept under a ref of its own; without a change there is nothing to keep", async () => {
  const { ws, write, hashes, git, baseline } = await beginTask();
  const before = hashes();
  const startHead = baseline.head ?? "";
  const work = { ref: rollbackRef(startHead), message: "rolled back", startHead };
  expect(await salvage(ws, { ...work, paths: [] })).toBeNull();
  write("a.txt", "agent");
  const saved = await salvage(ws, { ...work, paths: ["a.txt"] });
  expect(hashes()).toEqual(before);
  expect(git("show", `${saved?.ref}:a.txt`)).toBe("agent");
  expect(saved?.ref).toMatch(/^refs\/ralph\/rollback\//);
});

test("FLEET-2: a task that landed leaves no ref of its attempts, and takes none of a task whose id begins like its own", async () => {
  const { ws, git } = await beginTask();
  const refs = ["landing/t-1-2", "salvage/t-1-1", "salvage/t-1-1.2", "salvage/t-1-2-1"];
  for (const name of refs) git("update-ref", `refs/ralph/${name}`, "HEAD");
  await dropSaved(ws, "t-1");
  expect(git("for-each-ref", "--format=%(refname)", "refs/ralph")).toBe("refs/ralph/salvage/t-1-2-1");
});

test("TRUST-6: no name reaches outside of the refs for saved work", async () => {
  const { ws, baseline } = await beginTask();
  const work = { paths: [], startHead: baseline.head ?? "", message: "x" };
  const names = [
    "refs/heads/main",
    "refs/ralph/salvage/../../heads/main",
    "refs/ralph/salvage/",
    "-d",
    "refs/ralph/salvage/a.lock",
  ];
  for (const name of names) {
    await expect(salvage(ws, { ...work, ref: name })).rejects.toMatchObject({ code: "RALPH_GIT_REF" });
    await expect(restoreSalvage(ws, name)).rejects.toMatchObject({ code: "RALPH_GIT_REF" });
    await expect(dropSalvage(ws, name)).rejects.toMatchObject({ code: "RALPH_GIT_REF" });
  }
  await expect(restoreSalvage(ws, "refs/ralph/salvage/none")).rejects.toMatchObject({
    code: "RALPH_GIT_REF",
  });
});

test("the user's stash, reflog-reachable commits and other refs stay", async () => {
  const repository = tempRepository();
  repository.write("a.txt", "stashed");
  repository.git("stash", "--quiet");
  const { git, write, setAside } = await beginTask(repository);
  write("a.txt", "agent");
  await setAside();
  expect(git("stash", "list").split("\n")).toHaveLength(1);
  expect(git("stash", "show", "-p")).toContain("+stashed");
});
