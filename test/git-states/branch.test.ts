import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { onlyInLongForm } from "../test-size.ts";
import { type StateRepository, stateRepositories, usual } from "./state-repository.ts";

let repo: StateRepository;
const newRepository = stateRepositories();

const branches = (): readonly string[] => repo.git("branch", "--format=%(refname:short)").split("\n");
const current = (): string => repo.git("branch", "--show-current");

test("LOOP-19 LOOP-9: --branch works on a new branch and is recorded, a second run goes on there, and the old one stays where it was", async () => {
  repo = newRepository();
  const start = repo.git("rev-parse", "main");
  expect((await repo.run("--branch", "night/one", "--once")).code).toBe(3);
  expect(current()).toBe("night/one");
  const db = await openStore({ path: join(repo.root, ".ralph/progress.db") });
  const recorded = await db.all<{ branch: string }>("SELECT branch FROM runs");
  await db.close();
  expect(recorded).toEqual([{ branch: "night/one" }]);
  const { code } = await repo.run("--branch", "night/one", "--max-attempts", "2");
  expect(code).toBe(4);
  expect(current()).toBe("night/one");
  expect(repo.git("log", "-2", "--format=%s")).toBe("work t-3\nwork t-1");
  expect(repo.git("rev-parse", "main")).toBe(start);
});

const whole = process.env["RALPH_TEST_GIT"] !== undefined;
const names = ["-x", "a..b", "--orphan", "HEAD", "@{-1}", "a b", "refs/heads/../../config"];

test("LOOP-19 TRUST-6: a --branch of no good name is refused with a hint, and nothing changes", async () => {
  repo = newRepository();
  for (const name of whole ? names : names.slice(0, 2)) {
    const before = repo.git("for-each-ref");
    const { code, stderr, events } = await repo.run(`--branch=${name}`);
    expect([code, stderr, events.at(-1)]).toMatchObject([
      5,
      "",
      { error: { code: "RALPH_GIT_BRANCH", hint: expect.any(String) } },
    ]);
    expect([current(), repo.git("for-each-ref"), repo.git("status", "--porcelain")]).toEqual([
      "main",
      before,
      "",
    ]);
  }
});

test("LOOP-19 LOOP-9: no branch is made by a run that cannot begin, nor by a dry one", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_GIT");
  repo = newRepository();
  repo.git("worktree", "add", "-q", "-b", "elsewhere", join(repo.base, "other"));
  const refused = await repo.run("--branch", "elsewhere");
  expect([refused.code, refused.events.at(-1)]).toMatchObject([
    5,
    { error: { code: "RALPH_GIT_BRANCH", hint: expect.stringContaining(join(repo.base, "other")) } },
  ]);
  expect((await repo.run("--branch", "new", "--dry-run")).code).toBe(0);
  repo.write("mine.txt", "dirty\n");
  expect((await repo.run("--branch", "new")).code).toBe(5);
  expect(branches()).toEqual(["elsewhere", "main"]);
  expect((await repo.run("--branch", "new", "--allow-dirty", "--once")).code).toBe(3);
  expect([current(), repo.read("mine.txt")]).toEqual(["new", "dirty\n"]);
});

test("LOOP-19 LOOP-11: after a kill, work that goes along to a new branch is salvaged from there", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_GIT");
  repo = newRepository({
    ...usual,
    "t-1": [{ write: { "src/one.txt": "BROKEN\n" }, run: [["sleep", "20"]] }, ...usual["t-1"]],
  });
  expect(await repo.runAndKill(() => repo.exists("src/one.txt"))).toBe(true);
  expect((await repo.run("--branch", "new", "t-3")).code).toBe(0);
  expect(current()).toBe("new");
  expect(repo.git("log", "-1", "--format=%s", "new")).toBe("work t-3");
  expect(repo.git("log", "-1", "--format=%s", "main")).toBe("settings of the copy");
});

test("LOOP-19 LOOP-2: a run that is refused because another works here does not move that one to its branch", async () => {
  repo = newRepository({
    ...usual,
    "t-1": [{ write: { "src/one.txt": "one\n" }, run: [["sleep", "20"]] }],
  });
  let refused: ReturnType<StateRepository["run"]> | undefined;
  let isRefused = false;
  await repo.runAndKill(() => {
    if (repo.begun("t-1")) refused ??= repo.run("--branch", "new");
    refused?.then(() => {
      isRefused = true;
    });
    return isRefused;
  });
  expect((await refused)?.code).not.toBe(0);
  expect(branches()).toEqual(["main"]);
});
