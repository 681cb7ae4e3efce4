import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { removeStaleTemporaries, temporaryName } from "../../base/temporary-files.ts";
import { keepCopies } from "../protect-paths.ts";
import { removeStaleLocks } from "./stale-lock.ts";

afterEach(removeTempRepositories);

const onLinux = existsSync("/proc/self/stat");
const runBegan = new Date("2026-01-02T03:00:00Z");
const before = new Date("2026-01-02T02:00:00Z");
const since = new Date("2026-01-02T04:00:00Z");

async function locked(at: Date) {
  const repository = tempRepository();
  const lock = join(repository.dir, ".git/index.lock");
  writeFileSync(lock, "");
  utimesSync(lock, at, at);
  return { ...repository, lock, ws: await openRunWorkspace(repository.dir, gitEnv) };
}

test.skipIf(!onLinux)(
  "LOOP-11: a lock of the killed run's git is removed when no git is at work",
  async () => {
    const { ws, lock, dir, write } = await locked(since);
    const others = ["HEAD.lock", "packed-refs.lock", "refs/heads/a/b.lock"].map((name) => `.git/${name}`);
    for (const name of others) write(name, "");
    expect(await removeStaleLocks(ws, runBegan)).toHaveLength(4);
    expect([lock, ...others.map((name) => join(dir, name))].filter((path) => existsSync(path))).toEqual([]);
  },
);

test("LOOP-11: a lock that was there before the run is left alone", async () => {
  const { ws, lock } = await locked(before);
  expect(await removeStaleLocks(ws, runBegan)).toEqual([]);
  expect(existsSync(lock)).toBe(true);
});

test("LOOP-11: without a lock there is nothing to do", async () => {
  const { dir } = tempRepository();
  expect(await removeStaleLocks(await openRunWorkspace(dir, gitEnv), runBegan)).toEqual([]);
});

test("LOOP-9: a copy of a person's file outlives its being overwritten", async () => {
  const repository = tempRepository();
  repository.write("mine.txt", "years of work\n");
  repository.write("deep/ü and space.txt", "more\r\n");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const copies = await keepCopies(ws, ["mine.txt", "deep/ü and space.txt", "not there.txt"]);
  expect(Object.keys(copies)).toEqual(["mine.txt", "deep/ü and space.txt"]);
  repository.write("mine.txt", "gone");
  expect(repository.git("cat-file", "blob", `${copies["mine.txt"]}`)).toBe("years of work");
  expect(await keepCopies(ws, [])).toEqual({});
});

test("LOOP-11: index files of a killed ralph are removed at once, of another machine after an hour, of a running one not", () => {
  const { dir } = tempRepository();
  const folder = join(dir, ".git");
  const used = temporaryName();
  const left = used.replace(`-${process.pid}-`, "-4194304-");
  const old = ".ralph-89abcdef-1-0123456789abcdef.tmp";
  const young = ".ralph-01234567-1-0123456789abcdef.tmp.lock";
  for (const name of [used, left, `${left}.lock`, old, young]) writeFileSync(join(folder, name), "");
  for (const name of [used, old]) utimesSync(join(folder, name), before, before);
  removeStaleTemporaries(folder);
  const there = readdirSync(folder).filter((name) => name.startsWith(".ralph-"));
  expect(there.sort()).toEqual([used, young].sort());
});
