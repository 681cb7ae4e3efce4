import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  repositoryAt,
  runScript,
  type TempRepository,
  tempFolder,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { variants } from "../../../test/test-size.ts";
import { type Guard, guard, restoreHidden } from "../guard.ts";
import { status } from "../status.ts";
import { parseIndexFlags } from "./index-flags.ts";

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
      ["sha1", 20, 3],
      ["sha1", 20, 4],
      ["sha256", 32, 2],
      ["sha256", 32, 4],
    ],
    3,
  ),
)("LOOP-18: flags in an index with %s (%i bytes), version %i", (format, bytes, version) => {
  const { dir, git } = repository(format);
  const index = (): Buffer => readFileSync(join(dir, ".git/index"));
  git("update-index", `--index-version=${version}`);
  expect(parseIndexFlags(index(), bytes)).toEqual({ assumed: [], skipped: [], conflicts: [] });
  const [first = "", second = "", third = "", deep = "", accent = ""] = names;
  git("update-index", "--assume-unchanged", first, deep);
  git("update-index", "--skip-worktree", second, third, accent, deep);
  const found = parseIndexFlags(index(), bytes);
  expect(found?.assumed.toSorted()).toEqual([first, deep].toSorted());
  expect(found?.skipped.toSorted()).toEqual([second, third, accent, deep].toSorted());
  for (let length = 0; length < index().length; length += 7) {
    // Cut off: never an exception, nor an endless loop.
    parseIndexFlags(index().subarray(0, length), bytes);
  }
});

test("LOOP-18: a split index is read by git", async () => {
  const made = repository("sha1");
  const ws = await openRunWorkspace(made.dir, gitEnv);
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  made.git("update-index", "--skip-worktree", "check.sh");
  made.git("update-index", "--split-index");
  expect(parseIndexFlags(readFileSync(join(made.dir, ".git/index")), 20)).toBeUndefined();
  made.write("check.sh", "exit 0\n");
  expect((await status(ws)).tracked).toEqual([]);
  expect(await restoreHidden(ws, before, tempFolder())).toEqual([
    "check.sh was hidden from git (skip-worktree); that is undone, and it is judged",
  ]);
  expect((await status(ws)).tracked).toEqual(["check.sh"]);
});

test("LOOP-18: flags that an agent sets are cleared, those that it clears are set, and a person's stay", async () => {
  const made = repository("sha1");
  made.git("update-index", "--skip-worktree", "a.txt");
  made.git("update-index", "--assume-unchanged", "a.txt.long");
  const ws = await openRunWorkspace(made.dir, gitEnv);
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  expect(await restoreHidden(ws, before, tempFolder())).toEqual([]);
  made.git("update-index", "--assume-unchanged", "check.sh");
  made.git("update-index", "--no-skip-worktree", "a.txt");
  for (const name of ["check.sh", "a.txt", "a.txt.long"]) made.write(name, "exit 0\n");
  expect(await restoreHidden(ws, before, tempFolder())).toEqual([
    "put back the flag skip-worktree of a.txt",
    "check.sh was hidden from git (assume-unchanged); that is undone, and it is judged",
  ]);
  expect((await status(ws)).tracked).toEqual(["check.sh"]);
  expect(await restoreHidden(ws, before, tempFolder())).toEqual([]);
});

test("LOOP-18: in a sparse checkout git itself skips files", async () => {
  const made = repository("sha1");
  made.git("sparse-checkout", "set", "deep");
  const ws = await openRunWorkspace(made.dir, gitEnv);
  const before = await guard(ws);
  expect(before.indexFlags).toEqual({ assumed: [], skipped: [], conflicts: [] });
  made.git("sparse-checkout", "add", "other");
  expect(await restoreHidden(ws, before, tempFolder())).toEqual([]);
});

test.each(
  variants(
    [
      ["sha1", "0"],
      ["sha1", ""],
      ["sha256", ""],
    ],
    1,
  ),
)(
  "LOOP-18: conflicts that an agent leaves in an index (%s) are ended, a person's stay",
  async (format, first) => {
    const made = repository(format);
    const ws = await openRunWorkspace(made.dir, gitEnv);
    const object = made.git("rev-parse", "HEAD:a.txt");
    const conflict = (path: string, stages: string): void => {
      const entries = [...stages].map((stage) => `100644 ${object} ${stage}\\t${path}\\n`).join("");
      const none = `0 ${"0".repeat(object.length)}\\t${path}\\n`;
      runScript(made.dir, `printf '${none}${entries}' | git update-index --index-info`);
    };
    conflict("a.txt.long", "123");
    const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
    expect(before.indexFlags?.conflicts).toEqual(["a.txt.long"]);
    // Beside the entry without a conflict, which git itself never writes.
    conflict("check.sh", `${first}123`);
    conflict("new.txt", "3");
    made.write("check.sh", "of the agent\n");
    expect(await restoreHidden(ws, before, tempFolder())).toEqual([]);
    expect(made.git("ls-files", "-u").split("\n")).toHaveLength(3);
    expect(made.git("status", "--porcelain")).toBe("UU a.txt.long\n M check.sh");
  },
);
