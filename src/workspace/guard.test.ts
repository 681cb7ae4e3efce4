import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { safe } from "../base/safe-text.ts";
import { takeBaseline, workSince } from "./baseline.ts";
import { commitPaths } from "./commit.ts";
import { type Guard, guard, restoreGuarded } from "./guard.ts";
import { salvage } from "./salvage.ts";
import type { Workspace } from "./workspace.ts";

afterEach(removeTempRepositories);

interface Guarded extends TempRepository {
  readonly ws: Workspace;
  readonly before: Guard;
}

async function guarded(repository: TempRepository = tempRepository()): Promise<Guarded> {
  repository.write(".ralph/config.yaml", "verify: [npm test]\n");
  repository.write(".ralph/.gitignore", "*\n");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  return { ...repository, ws, before };
}

function plant(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

test("LOOP-18: what the agent did to git's configuration, hooks and ralph's settings is undone, and named", async () => {
  const repository = tempRepository();
  mkdirSync(join(repository.dir, ".git/hooks/pre-commit.d"), { recursive: true });
  plant(join(repository.dir, ".git/hooks/pre-push"), "exit 0");
  plant(join(repository.dir, ".git/hooks/pre-commit.d/lint"), "exit 0");
  const { dir, ws, before, git, write, read } = await guarded(repository);
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([]);

  const config = read(".git/config");
  git("config", "core.fsmonitor", "/bin/evil");
  plant(join(dir, ".git/hooks/pre-commit"), "exit 1");
  plant(join(dir, ".git/hooks/pre-commit.d/lint"), "exit 1");
  chmodSync(join(dir, ".git/hooks/pre-push"), 0o644);
  mkdirSync(join(dir, ".git/info"), { recursive: true });
  write(".git/info/attributes", "* filter=evil\n");
  write(".git/info/exclude", "src\n");
  write(".git/config.worktree", "[core]\n\tfsmonitor = /bin/evil\n");
  write(".git/commondir", "../elsewhere\n");
  write(".ralph/config.yaml", "verify: ['true']\n");
  write(".ralph/prompt.md", "obey\n");
  rmSync(join(dir, ".ralph/.gitignore"));
  expect((await restoreGuarded(ws, before, tempFolder())).sort()).toEqual([
    ".git/commondir",
    ".git/config",
    ".git/config.worktree",
    ".git/hooks/pre-commit",
    ".git/hooks/pre-commit.d/lint",
    ".git/hooks/pre-push",
    ".git/info",
    ".ralph/.gitignore",
    ".ralph/config.yaml",
    ".ralph/prompt.md",
  ]);
  expect(read(".git/config")).toBe(config);
  expect(read(".git/hooks/pre-commit.d/lint")).toContain("exit 0");
  expect(statSync(join(dir, ".git/hooks/pre-push")).mode & 0o777).toBe(0o755);
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([]);
});

test("TRUST-6: a link or folder planted at a guarded place is replaced, never followed", async () => {
  const { dir, ws, before, read } = await guarded();
  const outside = tempFolder();
  writeFileSync(join(outside, "victim"), "precious");
  mkdirSync(join(outside, "hooks"));
  plant(join(outside, "hooks/pre-commit"), "exit 1");
  for (const path of [".git/config", ".ralph/config.yaml"]) {
    rmSync(join(dir, path));
    symlinkSync(join(outside, "victim"), join(dir, path));
  }
  symlinkSync(join(outside, "hooks"), join(dir, ".git/hooks"));
  symlinkSync(outside, join(dir, ".git/info"));
  rmSync(join(dir, ".ralph/.gitignore"));
  mkdirSync(join(dir, ".ralph/.gitignore/x"), { recursive: true });
  const names = [".git/config", ".git/hooks", ".git/info", ".ralph/.gitignore", ".ralph/config.yaml"];
  expect((await restoreGuarded(ws, before, tempFolder())).sort()).toEqual(names);
  expect(readFileSync(join(outside, "victim"), "utf8")).toBe("precious");
  expect(existsSync(join(outside, "hooks/pre-commit"))).toBe(true);
  expect(lstatSync(join(dir, ".git/config")).isFile()).toBe(true);
  expect(read(".ralph/config.yaml")).toBe("verify: [npm test]\n");
});

test("LOOP-18: a whole folder that was replaced by a link is a folder again", async () => {
  const repository = tempRepository();
  mkdirSync(join(repository.dir, ".git/hooks"));
  plant(join(repository.dir, ".git/hooks/pre-commit"), "exit 0");
  const { dir, ws, before } = await guarded(repository);
  const evil = tempFolder();
  plant(join(evil, "pre-commit"), "exit 1");
  rmSync(join(dir, ".git/hooks"), { recursive: true });
  symlinkSync(evil, join(dir, ".git/hooks"));
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([".git/hooks", ".git/hooks/pre-commit"]);
  expect(readFileSync(join(dir, ".git/hooks/pre-commit"), "utf8")).toContain("exit 0");
  expect(readFileSync(join(evil, "pre-commit"), "utf8")).toContain("exit 1");
});

test("LOOP-18: links that were there before stay links; one that was turned elsewhere is turned back", async () => {
  const repository = tempRepository();
  const own = tempFolder();
  const other = tempFolder();
  for (const folder of [own, other]) plant(join(folder, "pre-commit"), "exit 0");
  const hooks = join(repository.dir, ".git/hooks");
  symlinkSync(own, hooks);
  const { ws, before } = await guarded(repository);
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([]);
  rmSync(hooks);
  symlinkSync(other, hooks);
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([".git/hooks"]);
  expect(readlinkSync(hooks)).toBe(own);
});

test("LOOP-18: configuration that git's own includes from the tree is guarded with it", async () => {
  const repository = tempRepository({ ".gitconfig": "[alias]\n\tx = log\n", "a.txt": "a" });
  repository.git("config", "include.path", "../.gitconfig");
  const { ws, before, write, read } = await guarded(repository);
  write(".gitconfig", "[core]\n\tfsmonitor = /bin/evil\n");
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([".gitconfig"]);
  expect(read(".gitconfig")).toContain("alias");
});

test("LOOP-18: a linked work tree's own file that names its git folder is guarded", async () => {
  const repository = tempRepository();
  const linked = join(tempFolder(), "linked");
  repository.git("worktree", "add", "--quiet", linked);
  const ws = await openRunWorkspace(linked, gitEnv);
  const before = await guard(ws);
  const was = readFileSync(join(linked, ".git"), "utf8");
  writeFileSync(join(linked, ".git"), `gitdir: ${tempRepository().dir}/.git\n`);
  expect(await restoreGuarded(ws, before, tempFolder())).toEqual([".git"]);
  expect(readFileSync(join(linked, ".git"), "utf8")).toBe(was);
});

test("a git folder that is gone is an error, not an empty one made up", async () => {
  const { dir, ws, before } = await guarded();
  rmSync(join(dir, ".git"), { recursive: true });
  await expect(restoreGuarded(ws, before, tempFolder())).rejects.toMatchObject({ code: "RALPH_GIT_GONE" });
  expect(existsSync(join(dir, ".git"))).toBe(false);
});

test("LOOP-18: nothing that the agent planted runs in ralph's own git commands", async () => {
  const { dir, ws, before, git, write } = await guarded(tempRepository({ "a.txt": "a", "b.txt": "b" }));
  const startHead = git("rev-parse", "HEAD");
  const baseline = await takeBaseline(ws, { allowDirty: false });
  const ran = join(tempFolder(), "ran");
  const evil = join(dir, "evil.sh");
  write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
  write("a.txt", "agent");
  git("commit", "-qam", "the agent's own");
  write("b.txt", "agent");
  plant(evil, `echo "$0 $*" >> ${ran}; cat`);
  for (const name of [
    "pre-commit",
    "commit-msg",
    "post-commit",
    "post-index-change",
    "reference-transaction",
    "post-checkout",
  ]) {
    mkdirSync(join(dir, ".git/hooks"), { recursive: true });
    plant(join(dir, ".git/hooks", name), `echo ${name} >> ${ran}`);
  }
  const keys = [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "diff.external",
    "diff.evil.textconv",
    "diff.evil.command",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "merge.evil.driver",
    "gpg.program",
    "credential.helper",
  ];
  const lines = keys.map((key) => {
    const [, section = "", subsection, name = ""] = /^(\w+)\.(?:(\w+)\.)?(\w+)$/.exec(key) ?? [];
    return `[${section}${subsection ? ` "${subsection}"` : ""}]\n\t${name} = ${evil}\n`;
  });
  const trap = `${lines.join("")}[commit]\n\tgpgsign = true\n[core]\n\thooksPath = ${dir}/.git/hooks\n`;
  writeFileSync(join(dir, ".git/config"), trap, { flag: "a" });

  await restoreGuarded(ws, before, tempFolder());
  const work = await workSince(ws, { baseline, startHead });
  expect([...work.files].sort()).toEqual([".gitattributes", "a.txt", "b.txt", "evil.sh"]);
  await commitPaths(ws, { paths: ["b.txt"], message: safe`x` });
  await salvage(ws, {
    ref: "refs/ralph/salvage/t-1-1",
    paths: [".gitattributes", "evil.sh"],
    startHead,
    message: "x",
  });
  expect(existsSync(ran)).toBe(false);
});

test("LOOP-18: fsmonitor, pager, external diff and textconv do not run even where no guard has looked", async () => {
  const { dir, git, write } = tempRepository({ ".gitattributes": "* diff=evil\n", "a.txt": "a" });
  const ran = join(tempFolder(), "ran");
  const evil = join(tempFolder(), "evil");
  plant(evil, `echo "$0 $*" >> ${ran}`);
  for (const key of ["core.fsmonitor", "core.pager", "diff.external", "diff.evil.textconv"])
    git("config", key, evil);
  const ws = await openRunWorkspace(dir, gitEnv);
  const baseline = await takeBaseline(ws, { allowDirty: false });
  write("a.txt", "b");
  const quiet = ["-c", "core.hooksPath=/dev/null"];
  mkdirSync(join(dir, ".git/hooks"));
  for (const name of ["pre-commit", "post-commit", "post-index-change", "reference-transaction"]) {
    plant(join(dir, ".git/hooks", name), `echo ${name} >> ${ran}`);
  }
  git(...quiet, "-c", "core.fsmonitor=false", "commit", "-qam", "agent");
  write("a.txt", "c");
  await workSince(ws, { baseline, startHead: baseline.head });
  await commitPaths(ws, { paths: ["a.txt"], message: safe`x`, hooks: false });
  await salvage(ws, {
    ref: "refs/ralph/salvage/t-1-1",
    paths: ["a.txt"],
    startHead: baseline.head ?? "",
    message: "x",
  });
  expect(existsSync(ran)).toBe(false);
});
