import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, runScript, tempRepository } from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { operationInProgress } from "./git/end-operations.ts";
import { noteTree, restoreTree } from "./restore-tree.ts";

afterEach(removeTempRepositories);

/** A repository, noted as before an agent's session after `arrange`. */
async function noted({ viewProtects = false, arrange = "" } = {}) {
  const repository = tempRepository({ "a.txt": "a\n", ".gitignore": ".ralph\n" });
  const run = (script: string): unknown => runScript(repository.dir, script);
  repository.write(".ralph/config.yaml", "verify: [npm test]\n");
  if (arrange !== "") run(arrange);
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const before = await noteTree(ws, { viewProtects });
  const keepIn = join(repository.dir, ".ralph/replaced/run-1");
  const restore = (): Promise<readonly string[]> => restoreTree(ws, before, keepIn);
  return { ...repository, run, ws, restore };
}

test("LOOP-18: keys of git's configuration that start programs are put back, and all others stay", async () => {
  const { git, run, restore } = await noted({
    arrange: "git config filter.rot.clean 'tr a-z n-za-m'; git config --add credential.helper one",
  });
  run(`git config core.fsmonitor 'touch ../ran'; git config core.hooksPath .husky/_
    git config filter.rot.clean 'touch ../ran'; git config --add credential.helper two
    git config alias.st '!evil'; git config alias.s status; git config include.path ../more
    git config 'includeIf.gitdir:~/x.path' ../other; git config user.name Other; git remote add origin ../o`);
  const redo = (key: string, command: string) =>
    `put back ${key} in .git/config, as it can start a program; if you changed it: git config ${command}`;
  expect((await restore()).toSorted()).toEqual([
    redo("alias.st", "alias.st '!evil'"),
    redo("core.fsmonitor", "core.fsmonitor 'touch ../ran'"),
    redo("core.hookspath", "core.hookspath .husky/_"),
    redo("credential.helper", "credential.helper one && git config --add credential.helper two"),
    redo("filter.rot.clean", "filter.rot.clean 'touch ../ran'"),
    redo("include.path", "include.path ../more"),
    redo("includeif.gitdir:~/x.path", "'includeif.gitdir:~/x.path' ../other"),
  ]);
  const settings = git("config", "--local", "--list");
  expect(settings).not.toMatch(/fsmonitor|hookspath|alias\.st|include/);
  for (const kept of ["credential.helper=one", "alias.s=status", "user.name=Other", "remote.origin.url=../o"])
    expect(settings.split("\n")).toContain(kept);
  expect(git("config", "filter.rot.clean")).toBe("tr a-z n-za-m");
  expect(await restore()).toEqual([]);
});

test("LOOP-18: a key that was removed, one of the work tree's own, and a file that git cannot read are put back", async () => {
  const { git, run, read, write, restore } = await noted({
    arrange: "git config extensions.worktreeConfig true; git config gpg.program mine",
  });
  run("git config --unset gpg.program; git config --worktree diff.x.textconv evil");
  expect(await restore()).toEqual([
    "put back gpg.program in .git/config, as it can start a program; if you changed it: git config --unset-all gpg.program",
    "put back diff.x.textconv in .git/config.worktree, as it can start a program; if you changed it: git config --worktree diff.x.textconv evil",
  ]);
  expect(git("config", "gpg.program")).toBe("mine");
  write(".git/config", "[core\n");
  expect(await restore()).toEqual([
    "put back .git/config: git cannot read what it had become, which is in .ralph/replaced/run-1",
  ]);
  expect(git("config", "gpg.program")).toBe("mine");
  expect(read(".ralph/replaced/run-1/config")).toBe("[core\n");
});

test("LOOP-18: hooks are put back where no view keeps the agent from them, and ralph's configuration stays", async () => {
  const change = `echo 'exit 0' > .git/hooks/pre-commit; echo evil > .git/hooks/pre-push; chmod +x .git/hooks/pre-push
    rm .git/hooks/commit-msg; echo 'verify: ["true"]' > .ralph/config.yaml`;
  const arrange = `mkdir -p .git/hooks; echo 'exit 1' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit
    echo check > .git/hooks/commit-msg`;
  const { dir, read, run, restore } = await noted({ arrange });
  expect(await restore()).toEqual([]);
  run(change);
  const aside = ".ralph/replaced/run-1";
  const settings = ".ralph/config.yaml changed during the session: it counts from the next run";
  expect(await restore()).toEqual([
    settings,
    ...[
      ["commit-msg", "rm .git/hooks/commit-msg"],
      ["pre-commit", `cp ${aside}/pre-commit .git/hooks/pre-commit`],
      ["pre-push", `cp ${aside}/pre-push .git/hooks/pre-push`],
    ].map(
      ([name, command]) =>
        `put back .git/hooks/${name}, as it can start a program; if you changed it: ${command}`,
    ),
  ]);
  expect([read(".git/hooks/pre-commit"), read(".ralph/config.yaml")]).toEqual([
    "exit 1\n",
    'verify: ["true"]\n',
  ]);
  expect(statSync(join(dir, ".git/hooks/pre-commit")).mode & 0o777).toBe(0o755);
  expect(existsSync(join(dir, ".git/hooks/pre-push"))).toBe(false);
  expect(read(".ralph/replaced/run-1/pre-push")).toBe("evil\n");
  expect(await restore()).toEqual([]);
  const viewed = await noted({ arrange, viewProtects: true });
  viewed.run(change);
  expect(await viewed.restore()).toEqual([settings]);
  expect(viewed.read(".ralph/config.yaml")).toBe('verify: ["true"]\n');
});

test("LOOP-18: locks of a git that was killed are removed, those from before stay", async () => {
  const { dir, run, restore } = await noted({
    arrange: "touch -d '1 hour ago' .git/refs/heads/persons.lock",
  });
  run("touch .git/index.lock .git/refs/heads/main.lock");
  expect((await restore()).toSorted()).toEqual(
    ["index.lock", "refs/heads/main.lock"].map((name) => `removed .git/${name}: no git holds this lock`),
  );
  expect(existsSync(join(dir, ".git/refs/heads/persons.lock"))).toBe(true);
});

const diverged = `git branch side; echo ours > a.txt; git commit -qam ours
  git checkout -q side; echo theirs > a.txt; git commit -qam theirs; echo more > b.txt; git add b.txt; git commit -qm more`;

test.each([
  ["rebase", "git rebase main"],
  ["am", "git format-patch -2 -o ../patches; git checkout -q main; git am -3 ../patches/*"],
  ["cherry-pick", "git checkout -q main; git cherry-pick main~1..side"],
  ["bisect", "git bisect start; git bisect bad"],
])("LOOP-18: a git %s that the agent left open is ended, and a person's stays", async (name, begin) => {
  const { ws, git, run, restore } = await noted({ arrange: diverged });
  run(`${begin} > /dev/null 2>&1 || true`);
  expect(await operationInProgress(ws, { stepwise: true })).toBe(name);
  expect(await restore()).toEqual([`ended the git ${name} that the agent left unfinished`]);
  expect(await operationInProgress(ws)).toBeUndefined();
  expect(git("ls-files", "-u")).toBe("");
  expect(await restore()).toEqual([]);
  const other = await noted({ arrange: `${diverged}\n${begin} > /dev/null 2>&1 || true` });
  expect(await other.restore()).toEqual([]);
});

test("LOOP-18: a merge stays, because the commit ends it, without its conflicts", async () => {
  const { dir, git, run, read, restore } = await noted({ arrange: diverged });
  run("git merge main > /dev/null 2>&1 || true");
  expect(git("ls-files", "-u")).not.toBe("");
  expect(await restore()).toEqual([]);
  expect(git("ls-files", "-u")).toBe("");
  expect(read("a.txt")).toMatch(/<<<</);
  expect(existsSync(join(dir, ".git/MERGE_HEAD"))).toBe(true);
});

test.each([
  ["an orphan branch", "git checkout -q --orphan new"],
  ["a deleted branch", "git update-ref -d refs/heads/main"],
  ["an orphan branch, and the former one deleted", "git checkout -q --orphan new; git branch -qD main"],
])("LOOP-18: HEAD is put back after an agent left %s", async (_, script) => {
  const { git, run, restore } = await noted();
  const at = git("rev-parse", "HEAD");
  run(script);
  expect(await restore()).toEqual([`put back HEAD to main at ${at.slice(0, 12)}: it named no commit`]);
  expect([git("symbolic-ref", "HEAD"), git("rev-parse", "HEAD")]).toEqual(["refs/heads/main", at]);
  expect(await restore()).toEqual([]);
});

test("LOOP-18: commits that the agent made before it left the branch stay on it", async () => {
  const { git, run, restore } = await noted();
  run("echo b > b.txt; git add b.txt; git commit -qm b; git checkout -q --orphan new");
  expect(await restore()).toHaveLength(1);
  expect(git("log", "-1", "--format=%s")).toBe("b");
});

test("LOOP-9: a stash that the agent dropped is put back, one that it made stays and is named", async () => {
  const { git, run, restore } = await noted({
    arrange: "echo mine > a.txt; git stash push -qm mine; echo other > a.txt; git stash push -qm other",
  });
  run("git stash drop -q 'stash@{1}'; echo work > a.txt; git stash push -qm work");
  expect(await restore()).toEqual([
    "put back a stash that the agent dropped: On main: mine",
    expect.stringMatching(/^the agent stashed work, which stays in git stash list: On main: work/),
  ]);
  expect(git("stash", "list").split("\n")).toHaveLength(3);
  run("git stash clear");
  expect(await restore()).toHaveLength(3);
  expect(await restore()).toEqual([]);
});

test("LOOP-18: a file that only its mode or owner's umask changes is put back alike", async () => {
  const { dir, run, restore } = await noted({
    arrange: "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
  });
  chmodSync(join(dir, ".git/hooks/pre-commit"), 0o644);
  expect(await restore()).toHaveLength(1);
  rmSync(join(dir, ".git/hooks"), { recursive: true });
  run("rm .ralph/config.yaml");
  expect(await restore()).toHaveLength(2);
  expect(statSync(join(dir, ".git/hooks/pre-commit")).mode & 0o777).toBe(0o755);
  writeFileSync(join(dir, ".git/hooks/x.sample"), "");
  expect(await restore()).toEqual([]);
});
