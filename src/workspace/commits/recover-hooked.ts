import type { SafeText } from "../../base/safe-text.ts";
import { nameSome } from "../../base/text.ts";
import { git } from "../git/git.ts";
import { adoptEntries } from "../git/index-entries.ts";
import { withPrivateIndex } from "../git/private-index.ts";
import { type Head, readHead } from "../git/read-head.ts";
import { stagePaths } from "../git/stage-paths.ts";
import type { Workspace } from "../workspace.ts";
import { commitIndex } from "./commit-index.ts";
import { changesBetween, faultOf } from "./commit-through-hooks.ts";
import { moveHead } from "./move-head.ts";

/** A commit during whose hooks ralph was killed. */
export interface HookedCommit {
  /** HEAD when the hooks began. */
  readonly from: Head & { readonly hash: string };
  /** The verified tree. */
  readonly tree: string;
  readonly message: SafeText;
  /** The paths to commit that only the hooks can have changed since, relative to the project root. */
  readonly paths: readonly string[];
}

/**
 * Judges what the code of hooks left of a commit when it, or something else, killed ralph, as `commitThroughHooks` does where ralph
 * lives. If it moved the branch, or committed other content than the work tree's, HEAD is put back and the verified tree is
 * committed without hooks. If no commit was made, the caller makes it. Returns a sentence about this, or about changed files.
 */
export async function recoverHooked(ws: Workspace, commit: HookedCommit): Promise<readonly string[]> {
  const { from, tree, message } = commit;
  const now = await readHead(ws);
  if (now.hash === from.hash && now.ref === from.ref) return changed(ws, tree, await treeNow(ws, commit));
  const examine = (indexFile: string) => faultOf(ws, { from, now, tree, indexFile });
  const fault = await withPrivateIndex(ws, now.hash ?? from.hash, examine);
  if (fault === null) {
    await adoptEntries(ws, { since: from.hash, paths: [] });
    return changed(ws, tree, now.hash ?? from.hash);
  }
  await moveHead(ws, { from: now, to: from, reason: "ralph: put back, as a hook moved it" });
  const isEmpty = (await changesBetween(ws, from.hash, tree)).length === 0;
  if (!isEmpty) {
    await withPrivateIndex(ws, tree, (indexFile) =>
      commitIndex(ws, { message, hooks: false }, { before: from.hash, indexFile }),
    );
    await adoptEntries(ws, { since: from.hash, paths: [] });
  }
  const lost = now.hash === null ? "" : ` (as it was: git log ${now.hash})`;
  return [`code that a hook ran ${fault}${lost}: committed what was verified, without hooks`];
}

async function changed(ws: Workspace, tree: string, other: string): Promise<readonly string[]> {
  const paths = (await changesBetween(ws, tree, other)).map(({ path }) => path);
  return paths.length === 0 ? [] : [`a hook changed ${nameSome(paths)} after verification`];
}

/** Returns the verified tree with the content that the paths have now. */
async function treeNow(ws: Workspace, { tree, paths }: HookedCommit): Promise<string> {
  return withPrivateIndex(ws, tree, async (indexFile) => {
    const files = paths.filter((path) => !path.endsWith("/")).map((path) => ws.prefix + path);
    await stagePaths(ws, files, indexFile);
    return (await git(ws, ["write-tree"], { indexFile })).stdout.trim();
  });
}
