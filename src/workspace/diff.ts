import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gitPaths, gitRead } from "./git/git.ts";
import { pathKind } from "./git/paths.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { diffFromTop, fromTop, inScope, pathsIn, toTop } from "./git/project-paths.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./git/workspace.ts";

/** The difference of one file to a commit; line counts are null for binary or very large files. */
export interface FileChange {
  readonly path: string;
  readonly kind: "new" | "deleted" | "changed";
  readonly added: number | null;
  readonly removed: number | null;
}

const maxBytes = 1024 * 1024;

/** Returns the differences of `paths` (relative to the project root) in the work tree to the commit `from`. */
export async function diffStat(ws: Workspace, { from, paths }: WorkRange): Promise<readonly FileChange[]> {
  if (paths.length === 0) return [];
  const below = paths.map((path) => toTop(ws, path));
  const [stat, before] = await Promise.all([
    gitPaths(ws, ["diff", "--numstat", "-z", ...patchOptions, from, "--", ...below]),
    pathsIn(ws, from, paths),
  ]);
  const counts = new Map(
    stat.map((record) => {
      const [added, removed, ...path] = record.split("\t");
      return [fromTop(ws, path.join("\t")), { added: lines(added), removed: lines(removed) }] as const;
    }),
  );
  return Promise.all(
    paths.map(async (path): Promise<FileChange> => {
      const stats = pathKind(join(ws.root, path));
      const kind = !stats ? "deleted" : before.has(path) ? "changed" : "new";
      const counted = counts.get(path);
      if (counted || !stats) return { path, kind, ...(counted ?? { added: 0, removed: null }) };
      const small = stats.isFile() && stats.size <= maxBytes;
      const text = small ? await readFile(join(ws.root, path), "utf8") : undefined;
      return { path, kind, added: text?.split("\n").filter(Boolean).length ?? null, removed: 0 };
    }),
  );
}

function lines(field = ""): number | null {
  return /^\d+$/.test(field) ? Number(field) : null;
}

/**
 * Returns the unified diff of these paths from commit `from` to the work tree, without untracked files: of each file as a
 * whole, as text whatever attributes or bytes say, as an agent controls these. Paths are relative to the project root, in the
 * diff too. A file of more than 4 MiB has a section without lines, as a binary one.
 */
export async function wholeDiff(ws: Workspace, { from, paths }: WorkRange): Promise<string> {
  const options = [...patchOptions, `--unified=${maxLines}`, from];
  const isLarge = (path: string): boolean => (pathKind(join(ws.root, path))?.size ?? 0) > maxShownBytes;
  const small = paths.filter((path) => !isLarge(path));
  return `${await limitedDiff(ws, options, paths.filter(isLarge))}${await limitedDiff(ws, [asText, ...options], small)}`;
}

interface WorkRange {
  readonly from: string;
  readonly paths: readonly string[];
}

const asText = "--text";
/** Larger files are not compared: their lines would be more than the output of a program may be. */
const maxShownBytes = 4 * 1024 * 1024;
const comparedFiles = ["-c", `core.bigFileThreshold=${maxShownBytes}`];
/** Of all paths in one call: systems limit the arguments of a program. */
const maxPathBytes = 256 * 1024;

/** Compares in several calls what is too much for one. A file that was too large has no lines. */
async function limitedDiff(
  ws: Workspace,
  options: readonly string[],
  paths: readonly string[],
): Promise<string> {
  if (paths.length === 0) return "";
  const below = paths.map((path) => toTop(ws, path));
  const half = Math.ceil(paths.length / 2);
  if (Buffer.byteLength(below.join(" ")) <= maxPathBytes) {
    const args = [...comparedFiles, "diff", ...options, "--", ...below];
    const isLast = paths.length === 1 && !options.includes(asText);
    const { code, stdout } = await gitRead(ws, args, isLast ? {} : { accept: "any" });
    if (code === 0) return diffFromTop(ws, stdout);
    if (paths.length === 1)
      return limitedDiff(
        ws,
        options.filter((one) => one !== asText),
        paths,
      );
  }
  const parts = [paths.slice(0, half), paths.slice(half)].map((part) => limitedDiff(ws, options, part));
  return (await Promise.all(parts)).join("");
}

/** More than the lines of any file that is compared. */
const maxLines = 1_000_000_000;

const patchOptions = [
  ...["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--no-relative"],
  // People set other forms for their own eyes.
  ...["--src-prefix=a/", "--dst-prefix=b/", "--submodule=short"],
];

/** Returns the unified diff between two commits, with paths relative to the project root. */
export async function diffOfCommits(ws: Workspace, from: string, to: string): Promise<string> {
  return diffFromTop(ws, (await gitRead(ws, ["diff", ...patchOptions, from, to, ...inScope(ws)])).stdout);
}

/** Returns the unified diff of these paths from commit `from` to the work tree, new files included. */
export async function diffOfTree(ws: Workspace, { from, paths }: WorkRange): Promise<string> {
  if (paths.length === 0) return "";
  const below = paths.map((path) => toTop(ws, path));
  return withPrivateIndex(ws, from, async (indexFile) => {
    await stagePaths(ws, below, indexFile);
    const args = ["diff", "--cached", ...patchOptions, from, "--"];
    return diffFromTop(ws, (await gitRead(ws, args, { indexFile })).stdout);
  });
}

const maxHunks = 8;
const hunkLine = /^@@ -\S+ \+(\d+)\S* @@ ?(.*)$/;

/**
 * Returns the heads of the first hunks from commit `from` to the work tree: path, line, enclosing function as git names
 * it, and the first line that is added or else removed. A file without text changes, such as an untracked one, has its
 * path alone.
 */
export async function hunkHeads(ws: Workspace, { from, paths }: WorkRange): Promise<readonly string[]> {
  const diff = paths.length === 0 ? "" : await limitedDiff(ws, [...patchOptions, "--unified=0", from], paths);
  const heads = readHunks(diff.split("\n"));
  const others = paths.filter((path) => !heads.some((head) => head.startsWith(`${path}:`)));
  return [...heads, ...others].slice(0, maxHunks);
}

function readHunks(lines: readonly string[]): readonly string[] {
  const heads: string[] = [];
  let path = "";
  for (const [at, line] of lines.entries()) {
    const [, from, to] = /^(?:--- a\/(.*)|\+\+\+ b\/(.*))$/.exec(line) ?? [];
    path = to ?? from ?? path;
    const [, number, context = ""] = hunkLine.exec(line) ?? [];
    if (number === undefined) continue;
    const end = lines.findIndex((other, index) => index > at && /^(?:@@ |diff )/.test(other));
    const body = lines.slice(at + 1, end < 0 ? undefined : end);
    const changed =
      body.find((other) => /^\+.*\S/.test(other)) ?? body.find((other) => /^-.*\S/.test(other)) ?? "";
    const place = context.trim() === "" ? "" : ` ${context.trim()}:`;
    heads.push(`${path}:${number}${place} ${changed.slice(0, 1)}${changed.slice(1).trim()}`.trim());
    if (heads.length === maxHunks) break;
  }
  return heads;
}

/** Returns the paths that differ between two commits, relative to the project root. */
export async function changedPathsBetween(ws: Workspace, from: string, to: string): Promise<string[]> {
  return namesOf(ws, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to]);
}

/** Commits do not change, and one end of an iteration asks several times. */
const lastCommitted = new WeakMap<Workspace, { readonly range: string; readonly paths: readonly string[] }>();

/** Returns the paths that a commit between the two changed, also where a later one took the change back. */
export async function committedPaths(ws: Workspace, from: string, to: string): Promise<readonly string[]> {
  const range = `${from}..${to}`;
  const last = lastCommitted.get(ws);
  if (last?.range === range) return last.paths;
  const names = ["-m", "-z", "--format=", "--no-show-signature", "--no-renames", "--name-only"];
  const paths = await namesOf(ws, ["log", ...names, range]);
  lastCommitted.set(ws, { range, paths });
  return paths;
}

async function namesOf(ws: Workspace, args: readonly string[]): Promise<string[]> {
  return (await gitPaths(ws, [...args, ...inScope(ws)])).map((path) => fromTop(ws, path));
}
