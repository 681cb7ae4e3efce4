import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { type Ground, grounds, usual } from "./ground.ts";

let ground: Ground;
const newGround = grounds();

const branches = (): readonly string[] => ground.git("branch", "--format=%(refname:short)").split("\n");
const current = (): string => ground.git("branch", "--show-current");

test("LOOP-19 LOOP-9: --branch works on a new branch and is recorded, a second run goes on there, and the old one stays where it was", async () => {
  ground = newGround();
  const start = ground.git("rev-parse", "main");
  expect((await ground.run("--branch", "night/one", "--once")).code).toBe(3);
  expect(current()).toBe("night/one");
  const db = await openStore({ path: join(ground.root, ".ralph/progress.db") });
  const recorded = await db.all<{ branch: string }>("SELECT branch FROM runs");
  await db.close();
  expect(recorded).toEqual([{ branch: "night/one" }]);
  const { code } = await ground.run("--branch", "night/one", "--max-attempts", "2");
  expect(code).toBe(4);
  expect(current()).toBe("night/one");
  expect(ground.git("log", "-2", "--format=%s")).toBe("work t-3 (t-3)\nwork t-1 (t-1)");
  expect(ground.git("rev-parse", "main")).toBe(start);
});

const whole = process.env["RALPH_TEST_GIT"] !== undefined;
const names = ["-x", "a..b", "--orphan", "HEAD", "@{-1}", "a b", "refs/heads/../../config"];

test("LOOP-19 TRUST-6: a --branch of no good name is refused with a hint, and nothing changes", async () => {
  ground = newGround();
  for (const name of whole ? names : names.slice(0, 2)) {
    const before = ground.git("for-each-ref");
    const { code, stderr, events } = await ground.run(`--branch=${name}`);
    expect([code, stderr, events.at(-1)]).toMatchObject([
      5,
      "",
      { error: { code: "RALPH_GIT_BRANCH", hint: expect.any(String) } },
    ]);
    expect([current(), ground.git("for-each-ref"), ground.git("status", "--porcelain")]).toEqual([
      "main",
      before,
      "",
    ]);
  }
});

test("LOOP-19 LOOP-9: no branch is made by a run that cannot begin, nor by a dry one", async () => {
  ground = newGround();
  ground.git("worktree", "add", "-q", "-b", "elsewhere", join(ground.base, "other"));
  const refused = await ground.run("--branch", "elsewhere");
  expect([refused.code, refused.events.at(-1)]).toMatchObject([
    5,
    { error: { code: "RALPH_GIT_BRANCH", hint: expect.stringContaining(join(ground.base, "other")) } },
  ]);
  expect((await ground.run("--branch", "new", "--dry-run")).code).toBe(0);
  ground.write("mine.txt", "dirty\n");
  expect((await ground.run("--branch", "new")).code).toBe(5);
  expect(branches()).toEqual(["elsewhere", "main"]);
  expect((await ground.run("--branch", "new", "--allow-dirty", "--once")).code).toBe(3);
  expect([current(), ground.read("mine.txt")]).toEqual(["new", "dirty\n"]);
});

test("LOOP-19 LOOP-11: after a kill, work that goes along to a new branch is put aside from there", async () => {
  ground = newGround({
    ...usual,
    "t-1": [{ write: { "src/one.txt": "BROKEN\n" }, run: [["sleep", "20"]] }, ...usual["t-1"]],
  });
  expect(await ground.runAndKill(() => ground.exists("src/one.txt"))).toBe(true);
  expect((await ground.run("--branch", "new", "t-3")).code).toBe(0);
  expect(current()).toBe("new");
  expect(ground.git("log", "-1", "--format=%s", "new")).toBe("work t-3 (t-3)");
  expect(ground.git("log", "-1", "--format=%s", "main")).toBe("settings of the copy");
});

test("LOOP-19 LOOP-2: a run that is refused because another works here does not move that one to its branch", async () => {
  ground = newGround({
    ...usual,
    "t-1": [{ write: { "src/one.txt": "one\n" }, run: [["sleep", "20"]] }],
  });
  let refused: ReturnType<Ground["run"]> | undefined;
  let isRefused = false;
  await ground.runAndKill(() => {
    if (ground.begun("t-1")) refused ??= ground.run("--branch", "new");
    refused?.then(() => {
      isRefused = true;
    });
    return isRefused;
  });
  expect((await refused)?.code).not.toBe(0);
  expect(branches()).toEqual(["main"]);
});
