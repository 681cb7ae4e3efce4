import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { guardedAt } from "../../../../test/guarded-repository.ts";
import { removeTempRepositories, tempRepository } from "../../../../test/temp-repository.ts";
import { operationInProgress } from "../../git/end-operations.ts";
import { restoreUnfinished } from "../../guard.ts";

afterEach(removeTempRepositories);

/** Writes a file below git's folder. */
type Plant = (name: string, text?: string) => void;

/** A guarded repository; `restore` ends what was begun. */
async function guarded(arrange: (plant: Plant) => void = () => undefined) {
  const made = tempRepository();
  const plant: Plant = (name, text = "") => {
    const path = join(made.dir, ".git", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  arrange(plant);
  const noted = await guardedAt(made.dir, join(made.dir, ".ralph/put-aside/run"));
  const { ws, before, keepIn } = noted;
  return { ...made, ...noted, plant, restore: () => restoreUnfinished(ws, before, keepIn) };
}

const moved = (name: string): string =>
  `moved .git/${name} to .ralph/put-aside/run: the agent left a git operation that it had begun`;

test.each(["rebase-merge/git-rebase-todo", "rebase-apply/next", "sequencer/todo", "BISECT_LOG"])(
  "LOOP-18: what an agent planted as .git/%s is moved away",
  async (name) => {
    const { ws, plant, restore, keepIn } = await guarded();
    plant(name, "exec sh evil\n");
    expect(await operationInProgress(ws)).toBeDefined();
    expect(await restore()).toEqual([moved(name.split("/")[0] ?? "")]);
    expect(await operationInProgress(ws)).toBeUndefined();
    expect(existsSync(join(keepIn, name))).toBe(true);
    expect(await restore()).toEqual([]);
  },
);

test.each(["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"])(
  "LOOP-18: a .git/%s that names no commit is moved away, another one stays",
  async (name) => {
    const { dir, git, plant, restore } = await guarded();
    for (const text of ["garbage\n", "", `${"a".repeat(40)}\n`, `${git("rev-parse", "HEAD^{tree}")}\n`]) {
      plant(name, text);
      expect(await restore()).toEqual([moved(name)]);
      expect(existsSync(join(dir, ".git", name))).toBe(false);
    }
    plant(name, `${git("rev-parse", "HEAD")}\n`);
    expect(await restore()).toEqual([]);
    expect(existsSync(join(dir, ".git", name))).toBe(true);
  },
);

test("LOOP-18: an operation that a person had begun stays", async () => {
  const { restore } = await guarded((plant) => {
    plant("rebase-merge/git-rebase-todo", "pick abc\n");
    plant("MERGE_HEAD", "garbage\n");
  });
  expect(await restore()).toEqual([]);
});

const locks = [
  "HEAD.lock",
  "config.lock",
  "index.lock",
  "packed-refs.lock",
  "refs/heads/main.lock",
  "refs/tags/a/b.lock",
];

test("LOOP-18: locks that an agent left are removed, others stay", async () => {
  const { dir, plant, restore } = await guarded((before) => before("refs/heads/persons.lock"));
  for (const name of locks) plant(name);
  plant("worktrees/wt/index.lock");
  expect((await restore()).toSorted()).toEqual(
    locks.map((name) => `removed .git/${name}: no git holds this lock`).toSorted(),
  );
  for (const name of ["refs/heads/persons.lock", "worktrees/wt/index.lock"])
    expect(existsSync(join(dir, ".git", name))).toBe(true);
  expect(await restore()).toEqual([]);
});
