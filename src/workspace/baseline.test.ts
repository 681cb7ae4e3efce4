import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  tempFolder,
  tempRepository,
} from "../../test/temp-repository.ts";
import { openRunWorkspace } from "../../test/temp-workspace.ts";
import { acceptEdits, protectedPaths, takeBaseline, workSince } from "./baseline.ts";

afterEach(removeTempRepositories);

async function begin(
  files?: Record<string, string>,
  change?: (repository: ReturnType<typeof tempRepository>) => void,
) {
  const repository = tempRepository(files);
  change?.(repository);
  const ws = await openRunWorkspace(repository.dir, gitEnv);
  const taken = await takeBaseline(ws, { mayBeDirty: "all" });
  const baseline: typeof taken = JSON.parse(JSON.stringify(taken));
  return { ...repository, ws, baseline, since: { baseline, startHead: baseline.head } };
}

test("LOOP-9: a dirty tracked file stops the start with its name and a hint; untracked ones do not", async () => {
  const { dir, write, git } = tempRepository({ "a.txt": "a", "b.txt": "b" });
  const ws = await openRunWorkspace(dir, gitEnv);
  write("notes.txt", "mine");
  expect(protectedPaths(await takeBaseline(ws, { mayBeDirty: [] }))).toEqual(["notes.txt"]);
  for (let number = 1; number <= 6; number++) write(`staged${number}.txt`, "x");
  git("add", ".");
  const refused = {
    code: "RALPH_GIT_DIRTY",
    message: expect.stringMatching(/^7 tracked files .*notes\.txt, staged1.* and 2 more$/),
    hint: expect.stringContaining("--allow-dirty"),
  };
  await expect(takeBaseline(ws, { mayBeDirty: [] })).rejects.toMatchObject(refused);
});

test("a run does not start in the middle of a merge", async () => {
  const { dir, git, write } = tempRepository();
  git("checkout", "-q", "-b", "side");
  git("commit", "-q", "--allow-empty", "-m", "side");
  git("checkout", "-q", "main");
  git("merge", "-q", "--no-ff", "--no-commit", "side");
  const ws = await openRunWorkspace(dir, gitEnv);
  write("x", "x");
  await expect(takeBaseline(ws, { mayBeDirty: "all" })).rejects.toMatchObject({ code: "RALPH_GIT_BUSY" });
});

test("LOOP-16: the agent's own commits and untracked files count as work, a person's files do not", async () => {
  const { ws, since, git, write, remove } = await begin(
    { "a.txt": "a", "b.txt": "b", "c.txt": "c" },
    ({ write }) => write("mine.txt", "mine"),
  );
  expect(await workSince(ws, since)).toMatchObject({
    changedPaths: [],
    commits: [],
    files: [],
    protectedEdits: [],
  });
  write("a.txt", "1");
  write(".ralph/state", "x");
  git("add", "--all");
  git("commit", "-qm", "one, with what lay about");
  git("mv", "b.txt", "moved.txt");
  git("commit", "-qm", "two");
  remove("c.txt");
  write("new file.txt", "n");
  const work = await workSince(ws, since);
  expect(work.commits).toEqual([git("rev-parse", "HEAD~1"), git("rev-parse", "HEAD")]);
  expect([...work.changedPaths].sort()).toEqual(["c.txt", "new file.txt"]);
  expect([...work.files].sort()).toEqual(["a.txt", "b.txt", "c.txt", "moved.txt", "new file.txt"]);
  expect(work).toMatchObject({
    protectedEdits: [],
    head: git("rev-parse", "HEAD"),
    branch: "refs/heads/main",
  });
});

test("LOOP-16: an amended, rewritten or left branch gives what is new since the common ancestor", async () => {
  const { ws, since, git, write } = await begin({ "a.txt": "a" });
  write("b.txt", "b");
  git("add", "b.txt");
  git("commit", "-q", "--amend", "-m", "amended");
  expect(await workSince(ws, since)).toMatchObject({ commits: [git("rev-parse", "HEAD")], files: ["b.txt"] });
  git("reset", "-q", "--hard", since.startHead ?? "");
  git("checkout", "-q", "--detach");
  write("c.txt", "c");
  git("add", "c.txt");
  git("commit", "-q", "-m", "detached");
  expect(await workSince(ws, since)).toMatchObject({ files: ["c.txt"], branch: null });
});

test("LOOP-9: an edit to a protected file is seen whatever its size and time say, and what is accepted is known", async () => {
  const { ws, since, baseline, write, remove, dir } = await begin({ "dirty.txt": "a" }, ({ write }) => {
    write("dirty.txt", "person 1");
    for (const name of ["same.txt", "other.txt", "gone.txt"]) write(name, "person 1");
  });
  write("same.txt", "person 1");
  write("other.txt", "person 2");
  write("dirty.txt", "person 2");
  remove("gone.txt");
  const work = await workSince(ws, since);
  expect([...work.protectedEdits].sort()).toEqual(["dirty.txt", "gone.txt", "other.txt"]);
  expect(work).toMatchObject({ dirtyEdits: ["dirty.txt"], changedPaths: [], files: [] });
  const accepted = await acceptEdits(ws, baseline, ["other.txt", "gone.txt"]);
  expect((await workSince(ws, { ...since, baseline: accepted })).protectedEdits).toEqual(["dirty.txt"]);
  repositoryAt(dir).write("gone.txt", "back");
  expect((await workSince(ws, { ...since, baseline: accepted })).protectedEdits).toEqual([
    "dirty.txt",
    "gone.txt",
  ]);
});

test("a person's untracked file that the agent stages is untracked again, its bytes as they were", async () => {
  const { ws, since, git, hashes, write } = await begin({ "a.txt": "a" }, ({ write }) =>
    write("mine.txt", "mine"),
  );
  write("b.txt", "agent");
  git("add", "--all");
  const before = hashes();
  expect((await workSince(ws, since)).changedPaths).toEqual(["b.txt"]);
  expect(git("status", "--porcelain").split("\n")).toEqual(["A  b.txt", "?? mine.txt"]);
  expect(hashes()).toEqual(before);
});

test("in a scope only what lies below it counts, commits too", async () => {
  const repository = tempRepository({ "app/a.txt": "a", "b.txt": "b" });
  const ws = { ...(await openRunWorkspace(join(repository.dir, "app"), gitEnv)), scope: "app/" };
  const baseline = await takeBaseline(ws, { mayBeDirty: [] });
  repository.write("b.txt", "2");
  repository.git("commit", "-qam", "elsewhere");
  repository.write("b.txt", "3");
  repository.write("app/a.txt", "2");
  repository.git("commit", "-qam", "both");
  repository.write("b.txt", "4");
  const work = await workSince(ws, { baseline, startHead: baseline.head });
  expect(work).toMatchObject({
    changedPaths: [],
    commits: [repository.git("rev-parse", "HEAD")],
    files: ["a.txt"],
  });
});

test("repositories within the project are left alone, and a moved submodule is a change", async () => {
  const inner = tempRepository();
  const outer = tempRepository();
  outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "sub");
  outer.git("commit", "-qm", "sub");
  const ws = await openRunWorkspace(outer.dir, gitEnv);
  const baseline = await takeBaseline(ws, { mayBeDirty: [] });
  outer.write("sub/a.txt", "dirty inside");
  repositoryAt(tempFolder());
  outer.git("init", "-q", "nested");
  const since = { baseline, startHead: baseline.head };
  expect(await workSince(ws, since)).toMatchObject({ changedPaths: [], leftAlone: ["nested/"] });
  outer.git("-C", "sub", "commit", "-qam", "inside");
  expect(await workSince(ws, since)).toMatchObject({ changedPaths: ["sub"] });
});
