import { git, gitLines } from "./git.ts";
import type { Workspace } from "./workspace.ts";

/** Stores the content of an index as a tree and returns it. */
export async function writeTree(ws: Workspace, indexFile: string): Promise<string> {
  return (await git(ws, ["write-tree"], { indexFile })).stdout.trim();
}

/** Stores a commit that no ref names and returns it. */
export async function commitTree(
  ws: Workspace,
  {
    tree,
    parents,
    message,
  }: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const args = ["-c", "commit.gpgSign=false", "commit-tree", tree, ...parents.flatMap((one) => ["-p", one])];
  return (await git(ws, args, { stdin: message })).stdout.trim();
}

/** Returns the object that a name such as `HEAD^{tree}` stands for. Throws as `git`. */
export async function objectOf(ws: Workspace, name: string): Promise<string> {
  return (await gitLines(ws, ["rev-parse", "--verify", name]))[0] ?? "";
}
