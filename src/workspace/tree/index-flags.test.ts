import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  type TempRepository,
  tempFolder,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { status } from "../git/status.ts";
import { hasNoFlags, readIndexFlags, restoreIndexFlags } from "./index-flags.ts";

afterEach(removeTempRepositories);

const names = ["a.txt", "a.txt.long", "check.sh", `deep/${"x".repeat(90)}/${"y".repeat(90)}.txt`, "é.txt"];

function repository(format: string): TempRepository {
  const dir = tempFolder();
  const made = repositoryAt(dir);
  made.git("init", "-q", `--object-format=${format}`, "--template=");
  for (const name of names) made.write(name, "text\n");
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "start");
  return made;
}

test.each(
  variants(
    [
      ["sha1", 20, 2],
      ["sha256", 32, 2],
      ["sha1", 20, 3],
      ["sha1", 20, 4],
    ],
    2,
  ),
)("LOOP-18: flags in an index with %s (%i bytes), version %i", async (format, bytes, version) => {
  const { dir, git } = repository(format);
  const index = (): Buffer => readFileSync(join(dir, ".git/index"));
  git("update-index", `--index-version=${version}`);
  expect(hasNoFlags(index(), bytes)).toBe(version !== 4);
  const ws = await openRunWorkspace(dir, gitEnv);
  expect(await readIndexFlags(ws)).toEqual({ assumed: [], skipped: [], conflicts: [] });
  const [first = "", second = "", third = "", deep = "", accent = ""] = names;
  git("update-index", "--assume-unchanged", first, deep);
  expect(hasNoFlags(index(), bytes)).toBe(false);
  git("update-index", "--skip-worktree", second, third, accent, deep);
  const found = await readIndexFlags(ws);
  expect(found.assumed.toSorted()).toEqual([first, deep].toSorted());
  expect(found.skipped.toSorted()).toEqual([second, third, accent, deep].toSorted());
  // Cut off: never an exception, nor an endless loop.
  for (let length = 0; length < index().length; length += 7) hasNoFlags(index().subarray(0, length), bytes);
});

test("LOOP-18: a split index is read by git", async () => {
  const made = repository("sha1");
  const ws = await openRunWorkspace(made.dir, gitEnv);
  const before = await readIndexFlags(ws);
  made.git("update-index", "--skip-worktree", "check.sh");
  made.git("update-index", "--split-index");
  made.write("check.sh", "exit 0\n");
  expect((await status(ws)).tracked).toEqual([]);
  expect(await restoreIndexFlags(ws, before)).toEqual([
    "check.sh was hidden from git (skip-worktree); that is undone, and it is judged",
  ]);
  expect((await status(ws)).tracked).toEqual(["check.sh"]);
});

test("LOOP-18: flags that an agent sets are cleared, those that it clears are set, and a person's stay", async () => {
  const made = repository("sha1");
  made.git("update-index", "--skip-worktree", "a.txt");
  made.git("update-index", "--assume-unchanged", "a.txt.long");
  const ws = await openRunWorkspace(made.dir, gitEnv);
  const before = await readIndexFlags(ws);
  expect(await restoreIndexFlags(ws, before)).toEqual([]);
  made.git("update-index", "--assume-unchanged", "check.sh");
  made.git("update-index", "--no-skip-worktree", "a.txt");
  for (const name of ["check.sh", "a.txt", "a.txt.long"]) made.write(name, "exit 0\n");
  expect(await restoreIndexFlags(ws, before)).toEqual([
    "put back the flag skip-worktree of a.txt",
    "check.sh was hidden from git (assume-unchanged); that is undone, and it is judged",
  ]);
  expect((await status(ws)).tracked).toEqual(["check.sh"]);
  expect(await restoreIndexFlags(ws, before)).toEqual([]);
});

test("LOOP-18: in a sparse checkout git itself skips files", async () => {
  const made = repository("sha1");
  made.git("sparse-checkout", "set", "deep");
  const ws = await openRunWorkspace(made.dir, gitEnv);
  const before = await readIndexFlags(ws);
  expect(before.skipped).toEqual([]);
  made.git("sparse-checkout", "add", "other");
  expect(await restoreIndexFlags(ws, before)).toEqual([]);
});
