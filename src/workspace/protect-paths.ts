import type { Baseline } from "./baseline.ts";
import { fingerprints } from "./git/fingerprint.ts";
import type { Workspace } from "./workspace.ts";

/** The baseline with more of a person's files in it: edits to tracked ones, and untracked ones. */
export async function protectPaths(
  ws: Workspace,
  baseline: Baseline,
  added: { readonly dirty: readonly string[]; readonly untracked: readonly string[] },
): Promise<Baseline> {
  const [dirty, untracked] = await Promise.all([
    fingerprints(ws.root, added.dirty),
    fingerprints(ws.root, added.untracked),
  ]);
  return {
    ...baseline,
    dirty: [...baseline.dirty, ...dirty],
    untracked: [...baseline.untracked, ...untracked],
  };
}
