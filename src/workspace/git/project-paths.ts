import { posix } from "node:path";
import { gitPaths } from "./git.ts";
import type { Workspace } from "./workspace.ts";

/** Returns a path relative to the top level as one relative to the project: `../` leads above it. */
export function fromTop({ prefix }: Pick<Workspace, "prefix">, path: string): string {
  if (path.startsWith(prefix)) return path.slice(prefix.length);
  // A folder around the project.
  if (path.endsWith("/") && prefix.startsWith(path)) return "";
  return `${posix.relative(`/${prefix}`, `/${path}`)}${path.endsWith("/") ? "/" : ""}`;
}

/** Returns a path relative to the project as one relative to the top level. */
export function toTop({ prefix }: Pick<Workspace, "prefix">, path: string): string {
  return path.startsWith("../") ? posix.join(prefix, path) : prefix + path;
}

/** Returns the last arguments of a git command that is limited to the part of the repository that the project may change. */
export function inScope({ scope }: Pick<Workspace, "scope">): readonly string[] {
  return scope === "" ? ["--"] : ["--", scope];
}

/** Returns a diff of git's, without renames, with paths relative to the project. */
export function diffFromTop(ws: Pick<Workspace, "prefix">, diff: string): string {
  if (ws.prefix === "") return diff;
  let isHead = false;
  const lines = diff.split("\n").map((line) => {
    if (line.startsWith("diff --git ")) isHead = true;
    else if (line.startsWith("@@ ")) isHead = false;
    if (!isHead) return line;
    const [, before, path = "", after = ""] = pathIn.exec(line) ?? [];
    if (before === undefined) return line;
    const own = fromTop(ws, path);
    return `${before}${own}${after.replace(path, () => own)}`;
  });
  return lines.join("\n");
}

/** The lines of a file's head that name it: the same path on both sides. */
const pathIn =
  /^(diff --git a\/|--- a\/|\+\+\+ b\/|Binary files (?:a\/(?=.* and \/)|a\/|\/dev\/null and b\/))(.*?)( b\/\2| and b\/\2 differ| and \/dev\/null differ| differ|\t?)$/;

/** More paths are not passed as arguments, whose size is limited. */
const maxArguments = 500;

/** Returns those of the paths that the commit has. */
export async function pathsIn(
  ws: Workspace,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const own = paths.length > maxArguments ? [ws.scope] : paths.map((path) => toTop(ws, path));
  const below = own.filter((path) => path !== "");
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", ...below];
  return new Set((await gitPaths(ws, args)).map((path) => fromTop(ws, path)));
}
