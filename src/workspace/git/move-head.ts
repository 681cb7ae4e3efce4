import { git } from "./git.ts";
import { type Head, resolveCommit } from "./read-head.ts";
import type { Workspace } from "./workspace.ts";

interface HeadMove {
  /** Where HEAD is now; git refuses when someone else has moved it since. */
  readonly from: Head;
  /** The new commit, and the branch; null: a detached HEAD. */
  readonly to: { readonly hash: string; readonly ref: string | null };
  /** For git's log of HEAD. */
  readonly reason: string;
}

/** Moves HEAD and its branch; the index and the files stay as they are. */
export async function moveHead(ws: Workspace, { from, to, reason }: HeadMove): Promise<void> {
  const log = ["-m", reason];
  if (to.ref === from.ref) {
    // All zeros: the branch is not there.
    const old = from.hash ?? "0".repeat(to.hash.length);
    if (from.hash !== to.hash) await git(ws, ["update-ref", ...log, "HEAD", to.hash, old]);
    return;
  }
  if (to.ref === null) {
    await git(ws, ["update-ref", ...log, "--no-deref", "HEAD", to.hash]);
    return;
  }
  const tip = await resolveCommit(ws, to.ref);
  if (tip !== to.hash)
    await git(ws, ["update-ref", ...log, to.ref, to.hash, tip ?? "0".repeat(to.hash.length)]);
  await git(ws, ["symbolic-ref", ...log, "HEAD", to.ref]);
}
