import { gitRead } from "./git/git.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The unified diff of these paths from commit `from` to the work tree; untracked files are not in it. Paths are
 * relative to the project root, in the diff too.
 */
export async function diffText(
  ws: Workspace,
  diff: { readonly from: string; readonly paths: readonly string[] },
): Promise<string> {
  if (diff.paths.length === 0) return "";
  const paths = diff.paths.map((path) => ws.prefix + path);
  const below = ws.prefix === "" ? [] : [`--relative=${ws.prefix}`];
  const options = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", ...below];
  return (await gitRead(ws, ["diff", ...options, diff.from, "--", ...paths])).stdout;
}
