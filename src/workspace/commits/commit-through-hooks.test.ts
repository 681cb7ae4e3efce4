import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository, writeHook } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { safe } from "../../base/safe-text.ts";
import { commitPaths } from "../commit.ts";

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

const putOther =
  'h=$(echo broken | git hash-object -w --stdin); git update-index --add --cacheinfo "100644,$h,a.txt"';

test.each(
  variants(
    [
      ["moves the branch", "pre-commit", "git update-ref HEAD HEAD~1", /moved the branch, which is put back/],
      ["deletes the branch", "pre-commit", "git update-ref -d HEAD", /deleted the branch, which is put back/],
      ["switches the branch", "pre-commit", "git symbolic-ref HEAD refs/heads/other", /another branch/],
      ["removes the new commit", "post-commit", "git update-ref HEAD HEAD~1", /removed the commit/],
      [
        "makes a commit of its own",
        "pre-commit",
        `${putOther}; git commit -qnm x`,
        /put other content .*a\.txt/,
      ],
      ["stages other content", "pre-commit", putOther, /put other content .*a\.txt/],
      ["leaves the work out", "pre-commit", "git rm -q --cached a.txt", /put other content .*a\.txt/],
      [
        "amends with other content",
        "post-commit",
        `${putOther}; git -c core.hooksPath=/dev/null commit -q --amend -m x`,
        /put other content/,
      ],
    ],
    3,
  ),
)("LOOP-21: the commit holds what was verified when code of a hook %s", async (_, name, script, warning) => {
  const { git, before, commit, warnings } = await verified(name, script);
  expect(await commit).toEqual({ hash: git("rev-parse", "main"), created: true });
  expect(git("rev-parse", "HEAD~1")).toBe(before);
  expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  expect(git("show", "--format=%s", "--name-only", "HEAD")).toBe("work\n\na.txt");
  expect(git("show", "HEAD:a.txt")).toBe("work");
  expect(git("status", "--porcelain")).toBe("A  staged.txt");
  expect(warnings).toEqual([expect.stringMatching(warning)]);
  expect(warnings[0]).toMatch(/^code that a hook ran .*: committed what was verified, without hooks$/);
});

test("LOOP-21: a hook that refuses is obeyed, and the branch that its code moved is put back", async () => {
  const { git, before, commit } = await verified("pre-commit", "git update-ref HEAD HEAD~1; exit 1");
  await expect(commit).rejects.toMatchObject({ code: "RALPH_GIT_COMMIT_REFUSED" });
  expect(git("rev-parse", "main")).toBe(before);
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
