import { git, gitPaths, splitNul } from "./git.ts";
import { commitTree } from "./objects.ts";
import { withPrivateIndex } from "./private-index.ts";
import type { Workspace } from "./workspace.ts";

export interface ThreeWay {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export type Merge =
  | { readonly clean: true; readonly tree: string }
  | { readonly clean: false; readonly conflicts: readonly string[] };

/** Three-way merges two trees in the object store only. */
export async function mergeTrees(ws: Workspace, sides: ThreeWay): Promise<Merge> {
  return withPrivateIndex(ws, sides.ours, async (indexFile) => {
    // Sufficient if each path changed on one side only; git before 2.38 cannot do more.
    const { base, ours, theirs } = sides;
    const options = { indexFile, accept: "any" } as const;
    const read = await git(ws, ["read-tree", "-i", "-m", "--aggressive", base, ours, theirs], options);
    const written = read.code === 0 ? await git(ws, ["write-tree"], options) : read;
    if (written.code === 0) return { clean: true, tree: written.stdout.trim() };
    const merge = await mergeContents(ws, sides);
    if (merge) return merge;
    const unmerged = await gitPaths(ws, ["ls-files", "-u", "-z"], { indexFile });
    return {
      clean: false,
      conflicts: [...new Set(unmerged.map((entry) => entry.slice(entry.indexOf("\t") + 1)))],
    };
  });
}

/** Merges contents with `git merge-tree`; undefined if this git does not support it. */
async function mergeContents(ws: Workspace, { base, ours, theirs }: ThreeWay): Promise<Merge | undefined> {
  // Temporary commits make git use this base.
  const commitOf = (side: string, ...parents: readonly string[]): Promise<string> =>
    commitTree(ws, { tree: `${side}^{tree}`, parents, message: "merge\n" });
  const root = await commitOf(base);
  const [one, other] = await Promise.all([commitOf(ours, root), commitOf(theirs, root)]);
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", one, other];
  const { code, stdout } = await git(ws, args, { accept: "any" });
  const [tree = "", ...conflicts] = splitNul(stdout);
  if (code === 0) return { clean: true, tree };
  return code === 1 ? { clean: false, conflicts: [...new Set(conflicts)] } : undefined;
}
