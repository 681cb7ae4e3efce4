import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, runScript, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { type Baseline, takeBaseline, withoutPersonsFiles, workSince } from "../baseline.ts";
import { ignoredFiles } from "./ignored-files.ts";

afterEach(removeTempRepositories);

const uncover = ": > .gitignore; echo work > work.txt";

/** A person has files that git ignores, in `folder` of the repository; then an agent runs a script there. */
async function after(script: string, { folder = "", linked = false } = {}) {
  const own = linked ? "" : folder;
  const { dir } = tempRepository({ [join(own, ".gitignore")]: ".env\npriv/\n*.o\n", "base.txt": "base\n" });
  if (linked) runScript(dir, `git worktree add -q ${folder}`, gitEnv);
  const root = join(dir, folder);
  for (const path of [".env", "priv/deep/key", "lib/a.o"]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `a person's ${path}\n`);
  }
  const ws = await openRunWorkspace(root, gitEnv);
  // As it is stored.
  const baseline = JSON.parse(JSON.stringify(await takeBaseline(ws, { mayBeDirty: [] }))) as Baseline;
  // The clock of a file system has a resolution of up to 10 ms.
  runScript(root, `sleep 0.05; ${script}`, gitEnv);
  const taken = await withoutPersonsFiles(ws, baseline, {
    keptAs: "refs/ralph/rollback/x",
    leaveOut: async () => [],
  });
  return { baseline, taken, work: await workSince(ws, { baseline, startHead: baseline.head }) };
}

const persons = [".env", "lib/a.o", "priv/deep/key"];

test.each(
  variants(
    [
      ["the top of a repository", {}],
      ["a folder of a repository", { folder: "packages/one" }],
      ["a linked work tree", { folder: "linked", linked: true }],
    ],
    2,
  ),
)("LOOP-9: files that git ignored in %s are a person's when an agent uncovers them", async (_, place) => {
  const { baseline, work } = await after(uncover, place);
  expect(baseline.ignored?.paths).toEqual([".env", "lib/a.o", "priv/"]);
  expect(work.changedPaths).toEqual([".gitignore", "work.txt"]);
  expect([...work.moved.keys()].sort()).toEqual(persons);
  expect(work.movedOver).toEqual([]);
});

test.each(
  variants(
    [
      ["the top of a repository", {}],
      ["a folder of a repository", { folder: "packages/one" }],
    ],
    1,
  ),
)("LOOP-9: files that git ignored in %s are taken out of an agent's commits", async (_, place) => {
  const { taken, work } = await after(`${uncover}; git add -A .; git commit -qm own`, place);
  expect([...taken.paths].sort()).toEqual(persons);
  expect(work.files.toSorted()).toEqual([".gitignore", "work.txt"]);
});

test("LOOP-9: an agent's own files in an ignored folder are its work, a file in a folder's place is not", async () => {
  const { work } = await after(`${uncover}; echo new > priv/new; echo new > lib/new.o; mv lib/a.o lib/b.o`);
  expect(work.changedPaths.toSorted()).toEqual([".gitignore", "lib/new.o", "priv/new", "work.txt"]);
  expect(work.moved.get("lib/b.o")).toBe("lib/a.o");
  const linked = await after("mv priv real; ln -s real priv");
  expect(linked.work.changedPaths).toEqual([]);
  const moved = { priv: "priv", "real/deep/key": "priv/deep/key" };
  expect(Object.fromEntries(linked.work.moved)).toEqual(moved);
});

test("LOOP-9: a tracked file that a build links into an ignored folder can be edited, not replaced", async () => {
  const { dir } = tempRepository({ ".gitignore": "out/\n", "a.txt": "a\n", "b.txt": "b\n" });
  runScript(dir, "mkdir out; ln a.txt out/a.txt; echo x > out/x", gitEnv);
  const ws = await openRunWorkspace(dir, gitEnv);
  const baseline = await takeBaseline(ws, { mayBeDirty: [] });
  runScript(dir, "echo more >> a.txt; mv out/x b.txt", gitEnv);
  const work = await workSince(ws, { baseline, startHead: baseline.head });
  expect(work.movedOver).toEqual(["b.txt"]);
  expect([...work.moved]).toEqual([["b.txt", "out/x"]]);
});

test("LOOP-9: the nearest of very many ignored files are remembered", () => {
  const deep = Array.from({ length: 25_000 }, (_, n) => `a/b/${n}.o`);
  const { paths } = ignoredFiles("/nonexistent", [...deep, "z/.env"]);
  expect(paths).toHaveLength(20_000);
  expect(paths[0]).toBe("z/.env");
});
