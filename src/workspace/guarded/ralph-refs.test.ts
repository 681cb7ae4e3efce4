import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
import { variants } from "../../../test/test-size.ts";
import { dropSalvage, salvage } from "../salvage.ts";
import { clearRalphRefs } from "./ralph-refs.ts";

afterEach(removeTempRepositories);

type Attack = (made: TempRepository, path: (name: string) => string) => void;

const attacks: Readonly<Record<string, { readonly name: string; readonly attack: Attack }>> = {
  "a ref for a folder of refs": {
    name: "refs/ralph/salvage",
    attack: ({ git }) => git("update-ref", "refs/ralph/salvage", "HEAD"),
  },
  "a ref for the folder above": {
    name: "refs/ralph",
    attack: ({ git }) => git("update-ref", "refs/ralph", "HEAD"),
  },
  "a packed ref": {
    name: "refs/ralph/salvage",
    attack: ({ git }) => {
      git("update-ref", "refs/ralph/salvage", "HEAD");
      git("pack-refs", "--all", "--prune");
    },
  },
  "refs below the one to write": {
    name: "refs/ralph/salvage/t-1",
    attack: ({ git }) => git("update-ref", "refs/ralph/salvage/t-1/x", "HEAD"),
  },
  "packed refs below the one to write": {
    name: "refs/ralph/salvage/t-1/x",
    attack: ({ git }) => {
      git("update-ref", "refs/ralph/salvage/t-1/x", "HEAD");
      git("pack-refs", "--all", "--prune");
    },
  },
  "a broken ref": {
    name: "refs/ralph/salvage/t-1",
    attack: (_, path) => writeFileSync(path("t-1"), "garbage\n"),
  },
  "a pipe": { name: "refs/ralph/salvage/t-1", attack: (_, path) => makePipe(path("t-1")) },
  "a lock": { name: "refs/ralph/salvage/t-1.lock", attack: (_, path) => writeFileSync(path("t-1.lock"), "") },
  "a folder as a lock": {
    name: "refs/ralph/salvage/t-1.lock",
    attack: (_, path) => mkdirSync(join(path("t-1.lock"), "d"), { recursive: true }),
  },
  "a lock of packed refs": {
    name: "packed-refs.lock",
    attack: (_, path) => writeFileSync(path("../../../packed-refs.lock"), ""),
  },
};

test.each(variants(Object.entries(attacks), 5))(
  "LOOP-18: work is set aside in spite of %s",
  async (_, { name, attack }) => {
    const made = tempRepository();
    const { dir, git, write } = made;
    const ws = await openRunWorkspace(dir, gitEnv);
    const folder = join(dir, ".git/refs/ralph/salvage");
    mkdirSync(folder, { recursive: true });
    attack(made, (file) => join(folder, file));
    const kept = tempFolder();
    expect(await clearRalphRefs(ws, kept)).toEqual([
      `removed ${name}: it was in the way of the work that ralph sets aside`,
    ]);
    write("a.txt", "work\n");
    const startHead = git("rev-parse", "HEAD");
    const request = { paths: ["a.txt"], startHead, ref: "refs/ralph/salvage/t-1", message: "work" };
    expect(await salvage(ws, request)).toMatchObject({ ref: request.ref });
    expect(git("show", `${request.ref}:a.txt`)).toBe("work");
    expect(await clearRalphRefs(ws, kept)).toEqual([]);
    await dropSalvage(ws, request.ref);
  },
);

test("LOOP-18: ralph writes no ref where a link of an agent leads", async () => {
  const { dir, git } = tempRepository();
  const ws = await openRunWorkspace(dir, gitEnv);
  const elsewhere = tempFolder();
  git("update-ref", "refs/ralph/salvage/t-2", "HEAD");
  rmSync(join(dir, ".git/refs/ralph"), { recursive: true });
  symlinkSync(elsewhere, join(dir, ".git/refs/ralph"));
  expect(await clearRalphRefs(ws, tempFolder())).toHaveLength(1);
  git("update-ref", "refs/ralph/salvage/t-1", "HEAD");
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("LOOP-18: work that is set aside stays, packed and unpacked", async () => {
  const { dir, git } = tempRepository();
  const ws = await openRunWorkspace(dir, gitEnv);
  git("update-ref", "refs/ralph/salvage/t-1", "HEAD");
  git("pack-refs", "--all", "--prune");
  git("update-ref", "refs/ralph/rollback/t-2.2", "HEAD");
  expect(await clearRalphRefs(ws, tempFolder())).toEqual([]);
  expect(git("for-each-ref", "--format=%(refname)", "refs/ralph").split("\n")).toHaveLength(2);
});

test("TRUST-12: thousands of files among the refs of work set aside are moved in one step; the work stays", async () => {
  const made = tempRepository();
  const ws = await openRunWorkspace(made.dir, gitEnv);
  made.git("update-ref", "refs/ralph/salvage/t-1", "HEAD");
  const folder = join(made.dir, ".git/refs/ralph/salvage");
  for (let at = 0; at < 2000; at++) writeFileSync(join(folder, `${at}`), "");
  const keepIn = tempFolder();
  expect(await clearRalphRefs(ws, keepIn)).toEqual([
    "removed 2000 files of refs/ralph/salvage: it was in the way of the work that ralph sets aside",
  ]);
  expect(readdirSync(folder)).toEqual(["t-1"]);
  expect(readdirSync(join(keepIn, "refs/ralph/salvage"))).toHaveLength(2001);
  expect(await clearRalphRefs(ws, keepIn)).toEqual([]);
});

test("TRUST-12: packed refs of gigabytes are not read", async () => {
  const made = tempRepository();
  const ws = await openRunWorkspace(made.dir, gitEnv);
  made.git("pack-refs", "--all");
  truncateSync(join(made.dir, ".git/packed-refs"), 3 * 1024 ** 3);
  expect(await clearRalphRefs(ws, tempFolder())).toEqual([]);
});
