import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../../test/temp-workspace.ts";
import { variants } from "../../../../test/test-size.ts";
import { guard, restoreUnfinished } from "../../guard.ts";

afterEach(removeTempRepositories);

async function guarded(arrange: (git: (...args: string[]) => string) => unknown = () => undefined) {
  const { dir, git } = tempRepository();
  arrange(git);
  const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
  const before = await guard(ws);
  const at = git("rev-parse", "HEAD");
  const plant = (name: string, text: string): void => writeFileSync(join(dir, ".git", name), text);
  return { git, plant, at, restore: () => restoreUnfinished(ws, before, tempFolder()) };
}
type Guarded = Awaited<ReturnType<typeof guarded>>;

const head = /^put back HEAD: it named no commit \(/;
const branch = /^put back the branch main at [0-9a-f]{12}: it named no commit$/;

const broken: readonly (readonly [string, (made: Guarded) => unknown, readonly RegExp[]])[] = [
  ["an orphan branch", ({ git }) => git("checkout", "-q", "--orphan", "new"), [head]],
  ["a ref without a commit", ({ plant }) => plant("HEAD", "ref: refs/replace/x\n"), [head]],
  ["a hash without an object", ({ plant }) => plant("HEAD", `${"12".repeat(20)}\n`), [head]],
  ["a branch without an object", ({ plant }) => plant("refs/heads/main", `${"12".repeat(20)}\n`), [branch]],
  ["an empty branch", ({ plant }) => plant("refs/heads/main", ""), [branch]],
  ["a branch that is itself", ({ plant }) => plant("refs/heads/main", "ref: refs/heads/main\n"), [branch]],
  [
    "a branch of a tree",
    (one) => one.plant("refs/heads/main", `${one.git("rev-parse", "HEAD^{tree}")}\n`),
    [branch],
  ],
  [
    "a branch of a tag",
    ({ git, plant }) => {
      git("tag", "-am", "x", "v1");
      plant("refs/heads/main", `${git("rev-parse", "v1")}\n`);
    },
    [branch],
  ],
  ["a deleted branch", ({ git }) => git("update-ref", "-d", "refs/heads/main"), [branch]],
  [
    "an orphan branch, and the former one deleted",
    ({ git }) => {
      git("checkout", "-q", "--orphan", "new");
      git("branch", "-D", "main");
    },
    [head, branch],
  ],
];

test.each(variants(broken, 5))(
  "LOOP-18: HEAD is put back after an agent left %s",
  async (_, breaks, sentences) => {
    const made = await guarded();
    breaks(made);
    const restored = await made.restore();
    expect(restored).toEqual(sentences.map((one) => expect.stringMatching(one)));
    expect(made.git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(made.git("rev-parse", "HEAD")).toBe(made.at);
    expect(await made.restore()).toEqual([]);
  },
);

test("LOOP-18: a packed branch that an agent took out of its file is put back", async () => {
  const made = await guarded((git) => git("pack-refs", "--all"));
  made.plant("packed-refs", "# pack-refs with: peeled fully-peeled sorted \n");
  expect(await made.restore()).toEqual([expect.stringMatching(branch)]);
  expect(made.git("rev-parse", "HEAD")).toBe(made.at);
});

test("LOOP-18: a detached HEAD is put back where it was", async () => {
  const made = await guarded((git) => git("checkout", "-q", "--detach"));
  made.git("checkout", "-q", "--orphan", "new");
  expect(await made.restore()).toEqual([expect.stringMatching(head)]);
  expect(made.git("rev-parse", "HEAD")).toBe(made.at);
});

test("LOOP-18: HEAD is put back on the branch of an agent's switch, also after the former one was deleted", async () => {
  const made = await guarded();
  made.git("checkout", "-q", "-b", "other");
  made.git("branch", "-D", "main");
  expect(await made.restore()).toEqual([expect.stringMatching(/^the branch main was deleted/)]);
  made.git("checkout", "-q", "--orphan", "new");
  expect(await made.restore()).toEqual([expect.stringMatching(head)]);
  expect(made.git("symbolic-ref", "HEAD")).toBe("refs/heads/other");
  expect(made.git("rev-parse", "HEAD")).toBe(made.at);
});

test.each([["as a file"], ["packed", "pack-refs", "--all"]])(
  "LOOP-18: HEAD is put back without its branch where an agent's branch is in the way of it, %s",
  async (_, ...pack) => {
    const made = await guarded();
    made.git("checkout", "-q", "--detach");
    made.git("branch", "-D", "main");
    made.git("branch", "main/x");
    if (pack.length > 0) made.git(...pack);
    made.git("checkout", "-q", "--orphan", "new");
    expect(await made.restore()).toEqual([
      expect.stringMatching(
        /^put back HEAD at [0-9a-f]{12}, without the branch main, which git does not take: /,
      ),
      expect.stringMatching(/^the branch main was deleted/),
    ]);
    expect(made.git("rev-parse", "HEAD", "main/x")).toBe(`${made.at}\n${made.at}`);
    expect(await made.restore()).toEqual([]);
  },
);

test("LOOP-18: an agent's own commits and branches stay where HEAD is", async () => {
  const made = await guarded();
  made.git("commit", "-q", "--allow-empty", "-m", "x");
  expect(await made.restore()).toEqual([]);
  made.git("checkout", "-q", "-b", "other");
  made.git("commit", "-q", "--allow-empty", "-m", "y");
  made.git("pack-refs", "--all");
  const tip = made.git("rev-parse", "HEAD");
  expect(await made.restore()).toEqual([]);
  expect(made.git("symbolic-ref", "HEAD")).toBe("refs/heads/other");
  expect(made.git("rev-parse", "HEAD")).toBe(tip);
});
