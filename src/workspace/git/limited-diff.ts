import { join } from "node:path";
import { type GitResult, gitRead, splitNul } from "./git.ts";
import { pathKind } from "./paths.ts";
import { diffFromTop, fromTop, toTop } from "./project-paths.ts";
import type { Workspace } from "./workspace.ts";

/** The lines of larger files are not compared: they would be more than the output of a program may be. */
const maxFileBytes = 4 * 1024 * 1024;
/** The sizes before and after of the files in one call of git. Their lines have a character more each. */
const maxCallBytes = 24 * 1024 * 1024;
/** The head of a file's section, at most. */
const headBytes = 1024;
/** Of all paths in one call: systems limit the arguments of a program. */
const maxPathBytes = 256 * 1024;

export interface DiffCall {
  readonly from: string;
  /** Relative to the project root. */
  readonly paths: readonly string[];
  /** Further options of `git diff`. */
  readonly options: readonly string[];
}

/**
 * Returns the unified diff of these paths from commit `from` to the work tree, without untracked files. A file that is too
 * large now or in the commit has a section without lines, as git writes it for a binary file.
 */
export async function limitedDiff(ws: Workspace, { from, paths, options }: DiffCall): Promise<string> {
  const parts: string[] = [];
  for (const some of inGroups(paths, (path) => Buffer.byteLength(path) + 1, maxPathBytes))
    parts.push(await diffOfGroup(ws, { from, paths: some, options }));
  return parts.join("");
}

async function diffOfGroup(ws: Workspace, call: DiffCall): Promise<string> {
  const now = new Map(call.paths.map((path) => [path, sizeOf(join(ws.root, path))]));
  const sizes = [...now.values()].map((size) => size ?? 0);
  const total = sizes.reduce((sum, size) => sum + size + headBytes, 0);
  if (total <= maxCallBytes && sizes.every((size) => size <= maxFileBytes)) {
    const { code, stdout } = await diffFiles(ws, call, "any");
    if (code === 0) return stdout;
    // Usually, what the commit holds is too large.
  }
  const before = await sizesIn(ws, call);
  const isLarge = (path: string): boolean =>
    (now.get(path) ?? 0) > maxFileBytes || (before.get(path) ?? 0) > maxFileBytes;
  const large = call.paths.filter((path) => isLarge(path) && before.has(path));
  const parts = large.map((path) => sectionOf(path, now.get(path) === undefined));
  const bytesOf = (path: string): number => (now.get(path) ?? 0) + (before.get(path) ?? 0) + headBytes;
  const small = call.paths.filter((path) => !isLarge(path));
  for (const paths of inGroups(small, bytesOf, maxCallBytes))
    parts.push((await diffFiles(ws, { ...call, paths }, [])).stdout);
  return parts.join("");
}

async function diffFiles(
  ws: Workspace,
  { from, paths, options }: DiffCall,
  accept: "any" | readonly number[],
): Promise<Pick<GitResult, "code" | "stdout">> {
  const below = paths.map((path) => toTop(ws, path));
  const { code, stdout } = await gitRead(ws, ["diff", ...options, from, "--", ...below], { accept });
  return { code, stdout: diffFromTop(ws, stdout) };
}

/** Returns the sizes of the files that the commit holds at these paths. */
async function sizesIn(ws: Workspace, { from, paths }: DiffCall): Promise<ReadonlyMap<string, number>> {
  const below = paths.map((path) => toTop(ws, path));
  const { stdout } = await gitRead(ws, ["ls-tree", "-r", "-l", "-z", "--full-tree", from, "--", ...below]);
  return new Map(
    splitNul(stdout).map((line) => {
      // `<mode> <type> <object> <size>\t<path>`; a submodule has the size `-`.
      const at = line.indexOf("\t");
      const size = Number(line.slice(0, at).split(" ").at(-1));
      return [fromTop(ws, line.slice(at + 1)), Number.isNaN(size) ? 0 : size] as const;
    }),
  );
}

function sectionOf(path: string, isGone: boolean): string {
  const mode = isGone ? "deleted file mode 100644\n" : "";
  return `diff --git a/${path} b/${path}\n${mode}Binary files a/${path} and b/${path} differ\n`;
}

/** Returns undefined if nothing is there, and 0 for anything but a file. */
function sizeOf(path: string): number | undefined {
  const found = pathKind(path);
  return found && (found.isFile() ? found.size : 0);
}

/** Splits the list where the sum of `sizeOf` exceeds `max`. */
function inGroups(paths: readonly string[], sizeOf: (path: string) => number, max: number): string[][] {
  const groups: string[][] = [];
  let left = 0;
  for (const path of paths) {
    const size = sizeOf(path);
    const group = groups.at(-1);
    if (group && size <= left) group.push(path);
    else {
      groups.push([path]);
      left = max;
    }
    left -= size;
  }
  return groups;
}
