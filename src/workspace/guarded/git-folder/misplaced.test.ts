import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../../test/temp-workspace.ts";
import { variants } from "../../../../test/test-size.ts";
import { safe } from "../../../base/safe-text.ts";
import { commitPaths } from "../../commit.ts";
import { type Guard, guard, restoreGuarded } from "../../guard.ts";
import { restoreStashes, stashesOf } from "../../stash.ts";

afterEach(removeTempRepositories);

const folders = [
  "COMMIT_EDITMSG",
  "ORIG_HEAD",
  "MERGE_MSG",
  "logs/HEAD",
  "logs/refs/heads/main",
  "logs/refs/stash",
];

test.each<readonly [wanted: string, name: string]>(
  variants(
    [
      ...folders.map((name) => ["file", name] as const),
      ...["logs", "logs/refs", "logs/refs/heads"].map((name) => ["folder", name] as const),
    ],
    5,
  ),
)(
  "LOOP-18: in place of a %s, what an agent made .git/%s is moved away, and ralph commits",
  async (wanted, name) => {
    const { dir, git, write } = tempRepository();
    git("branch", "-M", "main");
    const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
    const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
    const keepIn = tempFolder();
    const path = join(dir, ".git", name);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(join(path, ".."), { recursive: true });
    if (wanted === "file") mkdirSync(path);
    const left = wanted === "file" ? `${name}/kept` : name;
    writeFileSync(join(dir, ".git", left), "x");
    expect(await restoreGuarded(ws, before, keepIn)).toEqual([`.git/${name}`]);
    expect(readFileSync(join(keepIn, left), "utf8")).toBe("x");
    write("a.txt", "changed\n");
    await commitPaths(ws, { paths: ["a.txt"], message: safe`changed` });
    expect(git("log", "-1", "--format=%s")).toBe("changed");
    expect(await restoreGuarded(ws, before, keepIn)).toEqual([]);
  },
);

test("LOOP-18: a stash is put back when an agent replaced git's logs by a file", async () => {
  const { dir, git, write } = tempRepository();
  const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
  write("a.txt", "stashed\n");
  git("stash");
  const stashes = stashesOf(ws);
  const before = await guard(ws);
  rmSync(join(dir, ".git/logs"), { recursive: true });
  writeFileSync(join(dir, ".git/logs"), "x");
  expect((await restoreStashes(ws, [])).movedLog).toBeNull();
  await restoreGuarded(ws, before, tempFolder());
  expect((await restoreStashes(ws, stashes)).restored).toEqual(stashes);
  expect(stashesOf(ws)).toEqual(stashes);
});

test("LOOP-18: files in place of the folders of git's objects are moved away, and git stores objects again", async () => {
  const { dir, git, write } = tempRepository();
  const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
  const before = await guard(ws);
  const keepIn = tempFolder();
  const objects = join(dir, ".git/objects");
  rmSync(join(objects, "pack"), { recursive: true });
  const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
  const names = [...bytes, "pack"].filter((name) => !existsSync(join(objects, name)));
  for (const name of names) writeFileSync(join(objects, name), "x");
  write("a.txt", "changed\n");
  expect(() => git("hash-object", "-w", "a.txt")).toThrow();
  expect(await restoreGuarded(ws, before, keepIn)).toEqual([".git/objects"]);
  expect(readFileSync(join(keepIn, "objects/pack"), "utf8")).toBe("x");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`changed` });
  expect(await restoreGuarded(ws, before, keepIn)).toEqual([]);
  git("repack", "-adq");
  expect(git("fsck")).toBe("");
});
