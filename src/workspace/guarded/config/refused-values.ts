import { join } from "node:path";
import { gitRead } from "../../git/git.ts";
import type { Workspace } from "../../workspace.ts";
import type { Aside } from "../keep-copies.ts";
import { type FileSnapshot, isSameSnapshot, isUnchanged, restoreFile, snapshotFile } from "../remembered.ts";
import { type UserConfig, userEntries } from "../user-config.ts";

/** Changed files with which git works, by what they were. */
const accepted = new WeakMap<FileSnapshot, FileSnapshot>();

/** Commands that read the settings which git checks: of colors, branches, pushes and dates, and who commits. */
const commands: readonly (readonly string[])[] = [
  ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"],
  ["log", "-1", "--format=%ad"],
  ["var", "GIT_COMMITTER_IDENT"],
];

/**
 * Puts the user's configuration of git back if git refuses to work with what it is now, and works with what it was: a value that
 * it does not know, or no identity. Must run after `restoreUserConfig`; knows nothing of it after a kill. Calls `keep` with each
 * file first, which copies it. Returns the paths. Starts git only if such a file differs, once for each of its contents.
 */
export async function restoreRefused(
  ws: Workspace,
  before: readonly UserConfig[],
  keep: (path: string) => Aside,
): Promise<readonly string[]> {
  const changed = userEntries(before).flatMap(({ path, was }) => {
    if (was.kind === "other" || isUnchanged(path, was)) return [];
    const now = snapshotFile(path);
    return isSameSnapshot(now, accepted.get(was) ?? null) ? [] : [{ path, was, now }];
  });
  if (changed.length === 0) return [];
  if (!(await isRefused(ws))) {
    for (const { was, now } of changed) accepted.set(was, now);
    return [];
  }
  const kept = changed.map((one) => ({ ...one, aside: keep(one.path) }));
  for (const { path, was, aside } of kept) restoreFile(path, was, aside);
  if (!(await isRefused(ws))) return changed.map(({ path }) => path);
  // Something else is wrong.
  for (const { path, now, aside } of kept) restoreFile(path, now, aside);
  return [];
}

async function isRefused(ws: Workspace): Promise<boolean> {
  // One that is not there: the real one may be damaged, or take long.
  const indexFile = join(ws.gitDir, "ralph-no-index");
  const results = await Promise.all(commands.map((args) => gitRead(ws, args, { accept: "any", indexFile })));
  return results.some(({ code }) => code !== 0);
}
