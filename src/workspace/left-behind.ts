import { sha256 } from "../base/hash.ts";
import { fingerprints } from "./git/fingerprint.ts";
import { gitRead } from "./git/git.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Returns a fingerprint of the changes that an attempt left: equal for equal changes to the same files; `nothing` for none.
 * `from` is the commit of HEAD when the task began, `commits` the commits since.
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
