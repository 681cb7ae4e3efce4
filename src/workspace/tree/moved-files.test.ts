import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  runScript,
  tempFolder,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { takeBaseline, type WorkSince, workSince } from "../baseline.ts";

afterEach(removeTempRepositories);

/** A person has `mine/new.txt`, which git does not know, and an edit of `mine/known.txt`; then an agent runs a script. */
async function after(script: string): Promise<WorkSince> {
  const { dir, write } = tempRepository({ "mine/known.txt": "committed\n", "base.txt": "base\n" });
  write("mine/new.txt", "a person's\n");
  write("mine/known.txt", "a person's edit\n");
  const ws = await openRunWorkspace(dir, gitEnv);
  const baseline = await takeBaseline(ws, { mayBeDirty: "all" });
  write("work.txt", "work\n");
  runScript(dir, script, { ...gitEnv, OUTSIDE: tempFolder() });
  return workSince(ws, { baseline, startHead: baseline.head });
}

const linked = "ln -s other mine";
test.each(
  variants(
    [
      ["behind a link", `mkdir other; mv mine/* other; rmdir mine; ${linked}`, ["mine", "work.txt"]],
      ["with its folder", "mv mine other", ["work.txt"]],
      ["and staged", "mv mine other; git add other", ["work.txt"]],
      ["as a copy", "cp -r mine other; rm -r mine", ["work.txt"]],
      [
        "as a link of the same file",
        `mkdir other; ln mine/* other; rm -r mine; ${linked}`,
        ["mine", "work.txt"],
      ],
      [
        "and changed",
        "mv mine other; echo more >> other/new.txt; echo more >> other/known.txt",
        ["work.txt"],
      ],
    ],
    3,
  ),
)("LOOP-9: a person's file that an agent moves %s is still a person's", async (_, script, work) => {
  const { changedPaths, dirtyEdits, files, moved, movedOver, protectedEdits } = await after(script);
  expect(Object.fromEntries(moved)).toEqual({
    "other/new.txt": "mine/new.txt",
    "other/known.txt": "mine/known.txt",
  });
  expect([...changedPaths].sort()).toEqual(work);
  expect([...files].sort()).toEqual(work);
  expect([...protectedEdits].sort()).toEqual(["mine/known.txt", "mine/new.txt"]);
  expect(dirtyEdits).toEqual(["mine/known.txt"]);
  expect(movedOver).toEqual([]);
});

test("LOOP-9: a person's files behind a link that leads out of the project are missed", async () => {
  const work = await after('mv mine "$OUTSIDE/mine"; ln -s "$OUTSIDE/mine" mine');
  expect([...work.protectedEdits].sort()).toEqual(["mine/known.txt", "mine/new.txt"]);
  expect([...work.changedPaths].sort()).toEqual(["mine", "work.txt"]);
});

test("LOOP-9: a person's file that an agent moves over a tracked one is named, and that one has changed", async () => {
  const { changedPaths, moved, movedOver } = await after("mv mine/new.txt base.txt");
  expect(Object.fromEntries(moved)).toEqual({ "base.txt": "mine/new.txt" });
  expect(movedOver).toEqual(["base.txt"]);
  expect([...changedPaths].sort()).toEqual(["base.txt", "work.txt"]);
});

test("LOOP-16: a copy of a person's file that stays as it is, and an empty file, are an agent's work", async () => {
  const work = await after("cp mine/new.txt copy.txt; : > empty.txt");
  expect(work.moved.size).toBe(0);
  expect([...work.changedPaths].sort()).toEqual(["copy.txt", "empty.txt", "work.txt"]);
});
