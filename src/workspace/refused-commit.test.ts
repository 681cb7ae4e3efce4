import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  type TempRepository,
  tempRepository,
  writeHook,
} from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { safe } from "../base/safe-text.ts";
import { adoptCommit, commitPaths } from "./commit.ts";

afterEach(removeTempRepositories);

const index = ({ git }: TempRepository): string => git("ls-files", "--stage");

test.each([
  ["nothing staged", []],
  ["a person's file staged", ["staged.txt"]],
  ["an earlier content of the work staged", ["a.txt"]],
])("LOOP-21: after a refusal the index is as before, with %s", async (_, staged) => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b", "tasks.md": "- [ ] one\n" });
  const { git, write } = repository;
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  for (const path of staged) write(path, "staged");
  if (staged.length > 0) git("add", ...staged);
  const before = index(repository);
  writeHook(
    repository,
    "pre-commit",
    "echo by hook > b.txt; git add b.txt; git diff --cached --name-only; exit 1",
  );
  for (const path of ["a.txt", "new.txt"]) write(path, "failed work");
  write("tasks.md", "- [x] one\n");
  const paths = ["a.txt", "new.txt", "tasks.md"];
  const refused = commitPaths(ws, { paths, message: safe`x` });
  // The hook sees what would be committed, and its own addition.
  await expect(refused).rejects.toMatchObject({
    code: "RALPH_GIT_COMMIT_REFUSED",
    message: expect.stringContaining("a.txt\nb.txt\nnew.txt\ntasks.md"),
  });
  expect(index(repository)).toBe(before);
});

test("LOOP-21: a hook's additions are committed and leave the index at the commit, beside what a person staged", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b", "version.txt": "1" });
  const { git, write } = repository;
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  writeHook(
    repository,
    "pre-commit",
    "echo 2 > version.txt; echo x > added.txt; git add version.txt added.txt",
  );
  write("a.txt", "1");
  await commitPaths(ws, { paths: ["a.txt"], message: safe`alone` });
  expect(git("show", "--format=", "--name-only", "HEAD")).toBe("a.txt\nadded.txt\nversion.txt");
  expect(git("status", "--porcelain")).toBe("");
  write("b.txt", "staged");
  git("add", "b.txt");
  write("a.txt", "2");
  writeHook(
    repository,
    "pre-commit",
    "echo 3 > version.txt; echo y > more.txt; git add version.txt more.txt",
  );
  await commitPaths(ws, { paths: ["a.txt"], message: safe`beside` });
  expect(git("show", "--format=", "--name-only", "HEAD")).toBe("a.txt\nmore.txt\nversion.txt");
  expect(git("status", "--porcelain")).toBe("M  b.txt");
});

test("LOOP-11: after a kill between the commit and the index, the index follows, but for what a person staged", async () => {
  const repository = tempRepository({ "a.txt": "a", "b.txt": "b", "gone.txt": "x" });
  const { git, write, remove } = repository;
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  write("b.txt", "staged");
  git("add", "b.txt");
  const old = index(repository);
  write("a.txt", "work");
  write("new.txt", "work");
  remove("gone.txt");
  writeHook(repository, "pre-commit", "exit 0");
  const paths = ["a.txt", "new.txt", "gone.txt"];
  const { hash } = await commitPaths(ws, { paths, message: safe`x` });
  git("read-tree", "HEAD~1");
  git("add", "b.txt");
  expect(index(repository)).toBe(old);
  await adoptCommit(ws, hash);
  expect(git("status", "--porcelain")).toBe("M  b.txt");
});
