import type { Baseline } from "./baseline.ts";
import { fingerprints } from "./git/fingerprint.ts";
import { keepCopies } from "./keep-copies.ts";
import type { Workspace } from "./workspace.ts";

/** Returns the baseline with more of a person's files in it, edits to tracked ones and untracked ones, and copies of them. */
export async function protectPaths(
  ws: Workspace,
  baseline: Baseline,
  added: { readonly dirty: readonly string[]; readonly untracked: readonly string[] },
): Promise<Baseline> {
  const [dirty, untracked, copies] = await Promise.all([
    fingerprints(ws.root, added.dirty),
    fingerprints(ws.root, added.untracked),
    keepCopies(ws, [...added.dirty, ...added.untracked]),
  ]);
  return {
    ...baseline,
    copies: { ...baseline.copies, ...copies },
    dirty: [...baseline.dirty, ...dirty],
    untracked: [...baseline.untracked, ...untracked],
  };
}
