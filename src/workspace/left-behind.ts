import { sha256 } from "../base/hash.ts";
import { fingerprints } from "./git/fingerprint.ts";
import { gitRead } from "./git/git.ts";
import type { Workspace } from "./workspace.ts";

/**
 * A name for what an attempt left behind: equal for equal changes to the same files, whenever and by whomever they were
 * made; `nothing` for none. `from` is where HEAD stood when the task's work began, `commits` what was committed since.
 */
export async function leftBehind(
  ws: Workspace,
  work: {
    readonly from: string | null;
    readonly commits: readonly string[];
    readonly changedPaths: readonly string[];
  },
): Promise<string> {
  if (work.changedPaths.length + work.commits.length === 0) return "nothing";
  const files = await fingerprints(ws.root, [...work.changedPaths].sort());
  const lines = files.map(({ path, size, mtimeMs, hash }) =>
    JSON.stringify([path, hash ?? (size === -1 ? "gone" : [size, mtimeMs])]),
  );
  const { from, commits } = work;
  const committed =
    from === null || commits.length === 0
      ? ""
      : (await gitRead(ws, ["diff-tree", "-r", "-z", "--no-renames", from, "HEAD"])).stdout;
  return sha256([...lines, committed].join("\n")).slice(0, 16);
}
