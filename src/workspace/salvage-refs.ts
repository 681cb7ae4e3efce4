import { gitRead } from "./git/git.ts";
import type { Workspace } from "./workspace.ts";

/** The refs under which unfinished work was put aside; `name` is the task's, as a part of a ref. */
export async function salvageRefs(ws: Workspace, name: string): Promise<readonly string[]> {
  const { stdout } = await gitRead(ws, ["for-each-ref", "--format=%(refname)", "refs/ralph/salvage/"]);
  const prefix = `refs/ralph/salvage/${name}-`;
  return stdout.split("\n").filter((ref) => ref.startsWith(prefix) && /^\d+$/.test(ref.slice(prefix.length)));
}
