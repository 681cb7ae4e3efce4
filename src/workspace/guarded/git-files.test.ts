import {
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  makePipe,
  removeTempRepositories,
  type TempRepository,
  tempFolder,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { takeBaseline, workSince } from "../baseline.ts";
import { changedSince, fingerprints } from "../git/fingerprint.ts";
import { type Guard, guard, restoreGuarded, restoreHidden } from "../guard.ts";
import { restoreStashes, stashesOf } from "../stash.ts";
import { headLog, status } from "../status.ts";
import type { Workspace } from "../workspace.ts";

afterEach(removeTempRepositories);

interface Guarded extends TempRepository {
  readonly ws: Workspace;
  /** Does what ralph does after a session; returns its warnings. */
  readonly restore: () => Promise<readonly string[]>;
}

async function guarded(): Promise<Guarded> {
  const repository = tempRepository();
  repository.write("check.sh", "exit 1\n");
  repository.write(".ralph/.gitignore", "*\n");
  repository.git("add", "check.sh");
  repository.git("commit", "-qm", "check");
  const home = tempFolder();
  const ws = await openRunWorkspace(repository.dir, { ...gitEnv, HOME: home });
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  const restore = async (): Promise<readonly string[]> => [
    ...(await restoreGuarded(ws, before, tempFolder())),
    ...(await restoreHidden(ws, before, tempFolder())),
  ];
  return { ...repository, ws, restore };
}

function pipe(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(join(path, ".."), { recursive: true });
  makePipe(path);
}

const rebuilt = "rebuilt git's index from the last commit: it was damaged";

test("LOOP-18 TRUST-12: pipes in place of git's files block nothing, and the repository works again", async () => {
  const { dir, ws, git, restore, write } = await guarded();
  const pipes = ["index", "HEAD", "logs/HEAD", "logs/refs/stash", "packed-refs", "info/sparse-checkout"];
  const head = git("rev-parse", "HEAD");
  for (const name of pipes) pipe(join(dir, ".git", name));
  pipe(join(dir, ".gitignore"));
  write("check.sh", "exit 0\n");
  const warnings = await restore();
  for (const name of pipes) expect(warnings).toContain(`.git/${name}`);
  expect(warnings).toContain(".gitignore");
  expect(warnings).toContain(rebuilt);
  expect(git("rev-parse", "HEAD")).toBe(head);
  expect((await status(ws)).tracked).toEqual(["check.sh"]);
  expect(await restore()).toEqual([]);
});

test("TRUST-12: what ralph reads of git before it has looked never blocks", async () => {
  const { dir, ws } = await guarded();
  for (const name of ["index", "logs/HEAD", "logs/refs/stash"]) pipe(join(dir, ".git", name));
  expect(stashesOf(ws)).toEqual([]);
  expect(await headLog(ws)).toBeUndefined();
});

test.each<readonly [string, (dir: string) => void]>([
  ["cut", (dir) => truncateSync(join(dir, ".git/index"), 0)],
  ["text", (dir) => writeFileSync(join(dir, ".git/index"), "x".repeat(3000))],
  ["removed", (dir) => rmSync(join(dir, ".git/index"))],
  [
    "a folder",
    (dir) => {
      rmSync(join(dir, ".git/index"));
      mkdirSync(join(dir, ".git/index"));
    },
  ],
])("LOOP-18: an index that is damaged (%s) is rebuilt from the last commit", async (_, damage) => {
  const { dir, ws, restore, write } = await guarded();
  damage(dir);
  write("check.sh", "exit 0\n");
  expect(await restore()).toEqual([rebuilt]);
  expect((await status(ws)).tracked).toEqual(["check.sh"]);
});

test.each(["", "garbage\n", "ref: refs/heads/../../../x\n"])(
  "LOOP-18: a HEAD of %j is put back",
  async (text) => {
    const { dir, git, restore } = await guarded();
    writeFileSync(join(dir, ".git/HEAD"), text);
    expect(await restore()).toEqual([".git/HEAD"]);
    expect(git("log", "-1", "--format=%s")).toBe("check");
  },
);

test("LOOP-18: another branch, and a detached HEAD, stay", async () => {
  const { git, restore } = await guarded();
  git("checkout", "-qb", "other/branch");
  expect(await restore()).toEqual([]);
  git("checkout", "-q", "--detach");
  expect(await restore()).toEqual([]);
});

test("TRUST-12: pipes anywhere in git's folder, and links to them, are removed", async () => {
  const { dir, restore, git } = await guarded();
  const pipes = [
    "sequencer/todo",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/pack-0.idx",
    "refs/heads/feature/x",
    "rebase-merge/head-name",
  ];
  for (const name of pipes) pipe(join(dir, ".git", name));
  symlinkSync(join(dir, ".git/sequencer/todo"), join(dir, ".git/refs/heads/linked"));
  symlinkSync("itself", join(dir, ".git/itself"));
  expect((await restore()).toSorted()).toEqual(
    [...pipes, "refs/heads/linked", "itself"].map((name) => `.git/${name}`).toSorted(),
  );
  expect(git("status", "--porcelain")).toBe("");
  // The folders' stat data are known by now.
  await sleep(100);
  await restore();
  pipe(join(dir, ".git/sequencer/todo"));
  expect(await restore()).toEqual([".git/sequencer/todo"]);
});

test("TRUST-12: a list of stashes of gigabytes is moved, not read, and a person's stash put back", async () => {
  const { dir, ws, git, write } = await guarded();
  write("check.sh", "exit 2\n");
  git("stash");
  const before = stashesOf(ws);
  expect(before).toHaveLength(1);
  truncateSync(join(dir, ".git/logs/refs/stash"), 3 * 1024 ** 3);
  const { restored, movedLog } = await restoreStashes(ws, before);
  expect({ restored, movedLog }).toEqual({ restored: before, movedLog: ".git/stash-log.too-large" });
  expect(stashesOf(ws)).toEqual(before);
});

test("TRUST-12: files of gigabytes in guarded places are removed without being read", async () => {
  const { dir, ws, restore } = await guarded();
  const large = [".git/config", ".git/hooks/pre-commit", ".ralph/prompt.md"];
  const user = join(ws.env["HOME"] ?? "", ".gitconfig");
  for (const path of [...large.map((name) => join(dir, name)), user]) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "");
    truncateSync(path, 5 * 1024 ** 3);
  }
  expect((await restore()).toSorted()).toEqual([
    ".git/config",
    ".git/hooks",
    ".ralph/prompt.md",
    "~/.gitconfig",
  ]);
  expect(existsSync(user)).toBe(false);
  expect(lstatSync(join(dir, ".git/config")).size).toBeLessThan(10_000);
});

test("LOOP-18: a folder in place of the user's configuration of git is removed", async () => {
  const { ws, restore } = await guarded();
  mkdirSync(join(ws.env["HOME"] ?? "", ".gitconfig/d"), { recursive: true });
  expect(await restore()).toEqual(["~/.gitconfig"]);
});

test("LOOP-18: a pipe in place of the user's configuration of git is removed", async () => {
  const { ws, restore } = await guarded();
  pipe(join(ws.env["HOME"] ?? "", ".gitconfig"));
  expect(await restore()).toEqual(["~/.gitconfig"]);
});

test("LOOP-9: a file of gigabytes, or a pipe, among a person's files is compared by its stat data", async () => {
  const { dir, write } = await guarded();
  write("large.bin", "");
  truncateSync(join(dir, "large.bin"), 5 * 1024 ** 3);
  pipe(join(dir, "pipe"));
  const known = await fingerprints(dir, ["large.bin", "pipe"]);
  expect(known.map(({ hash }) => hash)).toEqual([null, null]);
  expect(await changedSince(dir, known)).toEqual([]);
});

test("LOOP-18: a tracked file that became a pipe counts as deleted", async () => {
  const { dir, ws, git } = await guarded();
  const baseline = await takeBaseline(ws, { allowDirty: false });
  pipe(join(dir, "check.sh"));
  const work = await workSince(ws, { baseline, startHead: baseline.head });
  expect(work.files).toEqual(["check.sh"]);
  expect(git("diff", "--name-status")).toBe("D\tcheck.sh");
});

test("LOOP-18: ralph's folder that an agent recreated, with another mode, is not copied into itself", async () => {
  const { dir, restore, read } = await guarded();
  renameSync(join(dir, ".ralph"), join(dir, "old"));
  mkdirSync(join(dir, ".ralph"), { mode: 0o711 });
  renameSync(join(dir, "old/.gitignore"), join(dir, ".ralph/.gitignore"));
  expect(await restore()).toEqual([]);
  expect(read(".ralph/.gitignore")).toBe("*\n");
});
