import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  gitEnv,
  removeTempRepositories,
  tempFolder,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../../test/temp-workspace.ts";
import { guard, restoreUnfinished } from "../../guard.ts";
import type { Workspace } from "../../workspace.ts";
import { lostRefs, readRefs } from "./lost-refs.ts";

afterEach(removeTempRepositories);

test("LOOP-18: branches and tags that are gone after an agent are named once, with what restores them", async () => {
  const { dir, git } = tempRepository();
  const head = git("rev-parse", "HEAD");
  for (const name of ["packed/one", "packed/two", "both"]) git("branch", name);
  git("tag", "-am", "annotated", "v1");
  const tag = git("rev-parse", "v1");
  git("pack-refs", "--all");
  git("commit", "-q", "--allow-empty", "-m", "x");
  git("branch", "-f", "both");
  const tip = git("rev-parse", "HEAD");
  git("branch", "it's;odd");
  git("branch", "renamed");
  const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
  const before = await guard(ws);
  git("pack-refs", "--all");
  expect(await restoreUnfinished(ws, before, tempFolder())).toEqual([]);
  git("branch", "-D", "packed/one", "both", "it's;odd");
  git("branch", "-m", "renamed", "new");
  git("tag", "-d", "v1");
  const warnings = await restoreUnfinished(ws, before, tempFolder());
  const deleted = (name: string, command: string): string =>
    `the ${name} was deleted during the session; to restore it: ${command}`;
  expect(warnings.toSorted()).toEqual(
    [
      deleted("branch both", `git branch both ${tip}`),
      deleted("branch it's;odd", `git branch 'it'\\''s;odd' ${tip}`),
      deleted("branch packed/one", `git branch packed/one ${head}`),
      deleted("branch renamed", `git branch renamed ${tip}`),
      deleted("tag v1", `git tag v1 ${tag}`),
    ].toSorted(),
  );
  git("tag", "v1", tag);
  expect(git("cat-file", "-t", "v1")).toBe("tag");
  expect(await restoreUnfinished(ws, before, tempFolder())).toEqual([]);
});

test("LOOP-18: of many deleted branches the first are named", async () => {
  const { dir, git } = tempRepository();
  for (let n = 0; n < 25; n++) git("branch", `b-${n}`);
  const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
  const before = await guard(ws);
  git("branch", "-D", ...Array.from({ length: 25 }, (_, n) => `b-${n}`));
  const warnings = await restoreUnfinished(ws, before, tempFolder());
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toBe("5 more refs are gone");
});

test("TRUST-12: of a folder of very many refs some are read, and none of the others is said to be gone", () => {
  const commonDir = tempFolder();
  const ws = { commonDir } as Workspace;
  const heads = join(commonDir, "refs/heads");
  mkdirSync(heads, { recursive: true });
  writeFileSync(join(heads, "zz"), `${"a".repeat(40)}\n`);
  const before = readRefs(ws);
  for (let n = 0; n < 6000; n += 1) writeFileSync(join(heads, `b${n}`), n % 2 ? "b".repeat(40) : "x");
  const now = readRefs(ws);
  expect(now.loose.size).toBeLessThan(2600);
  expect(now.isCut).toBe(true);
  expect(lostRefs(ws, before, now)).toEqual([]);
});
