import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository, writeHook } from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { safe } from "../base/safe-text.ts";
import { commitPaths } from "./commit.ts";

afterEach(removeTempRepositories);

/** A repository with two commits, and `a.txt` verified with `work`, beside a file that a person staged. */
async function verified(name: string, script: string) {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b" });
  const { git, write } = repository;
  write("b.txt", "second");
  git("commit", "-qam", "second");
  const before = git("rev-parse", "HEAD");
  write("staged.txt", "a person's");
  git("add", "staged.txt");
  writeHook(repository, name, script);
  write("a.txt", "work");
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const warnings: string[] = [];
  const report = (warning: string): unknown => warnings.push(warning);
  const commit = commitPaths(ws, { paths: ["a.txt"], message: safe`work`, report });
  return { ...repository, before, commit, warnings };
}

test("LOOP-21: a hook that refuses is obeyed, and what was staged stays as it was", async () => {
  const { git, before, commit } = await verified("pre-commit", "exit 1");
  await expect(commit).rejects.toMatchObject({ code: "RALPH_GIT_COMMIT_REFUSED" });
  expect(git("rev-parse", "main")).toBe(before);
  expect(git("status", "--porcelain")).toBe("M a.txt\nA  staged.txt");
});

test.each([
  ["stages it", "echo formatted > a.txt; git add a.txt"],
  ["only writes it", "echo formatted > a.txt"],
])("LOOP-21: what a hook formats is committed and named when it %s", async (_, script) => {
  const { git, commit, warnings } = await verified("pre-commit", script);
  await commit;
  expect(git("show", "HEAD:a.txt")).toBe("formatted");
  expect(warnings).toEqual(["a hook changed a.txt after verification"]);
});

test("LOOP-21: tests that a hook runs may make repositories of their own", async () => {
  const scratch =
    "d=$(mktemp -d) && cd $d && git init -q && echo x > f && git add f && git ls-files && rm -r $d";
  const { git, commit, warnings } = await verified("pre-commit", `test "$(${scratch})" = f`);
  expect(await commit).toMatchObject({ created: true });
  expect(git("show", "--format=", "--name-only", "HEAD")).toBe("a.txt");
  expect(warnings).toEqual([]);
});
