import { join } from "node:path";
import type { Baseline } from "./baseline.ts";
import { fingerprints } from "./git/fingerprint.ts";
import { git } from "./git/git.ts";
import { pathKind } from "./git/paths.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./workspace.ts";

/** Returns the baseline with additional tracked and untracked files of a person, and copies of them. */
export async function protectPaths(
  ws: Workspace,
  baseline: Baseline,
  added: { readonly dirty: readonly string[]; readonly untracked: readonly string[] },
): Promise<Baseline> {
  const [dirty, untracked, copies] = await Promise.all([
    fingerprints(ws.root, added.dirty),
    fingerprints(ws.root, added.untracked),
    keepCopies(ws, [...added.dirty, ...added.untracked]),
  ]);
  return {
    ...baseline,
    copies: { ...baseline.copies, ...copies },
    dirty: [...baseline.dirty, ...dirty],
    untracked: [...baseline.untracked, ...untracked],
  };
}

/** Limits for copies, so that a person's data sets are not duplicated. */
const maxCopies = { files: 200, fileBytes: 4 * 1024 * 1024, bytes: 32 * 1024 * 1024 };

/**
 * Copies a person's files into git's object store, which keeps unreferenced blobs for weeks, so that they survive an agent
 * that overwrites them. Returns path → blob; paths are relative to the project root.
 */
export async function keepCopies(
  ws: Workspace,
  paths: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const wanted: string[] = [];
  let bytes = 0;
  for (const path of paths.slice(0, maxCopies.files)) {
    const stats = path.includes("\n") ? undefined : pathKind(join(ws.root, path));
    if (!stats?.isFile() || stats.size > maxCopies.fileBytes || bytes + stats.size > maxCopies.bytes)
      continue;
    bytes += stats.size;
    wanted.push(path);
  }
  if (wanted.length === 0) return {};
  const stdin = wanted.map((path) => `${ws.prefix}${path}\n`).join("");
  const { code, stdout } = await git(ws, ["hash-object", "-w", "--no-filters", "--stdin-paths"], {
    stdin,
    accept: "any",
  });
  if (code !== 0) return {};
  const blobs = stdout.split("\n");
  return Object.fromEntries(wanted.map((path, index) => [path, blobs[index] ?? ""] as const));
}

/**
 * Returns the baseline with the `paths` that finished tasks left uncommitted. Stores them as a commit without a branch,
 * which git keeps for weeks.
 */
export async function holdFinished(
  ws: Workspace,
  baseline: Baseline,
  paths: readonly string[],
): Promise<Baseline> {
  const { head, dirty, untracked } = baseline;
  const there = new Set([...dirty, ...untracked].map(({ path }) => path));
  const finished = paths.filter((path) => there.has(path));
  if (head === null || finished.length === 0) return baseline;
  const commit = await withPrivateIndex(ws, head, async (indexFile) => {
    await stagePaths(
      ws,
      finished.map((path) => ws.prefix + path),
      indexFile,
    );
    const tree = (await git(ws, ["write-tree"], { indexFile })).stdout.trim();
    const stdin = "ralph: what finished tasks left uncommitted\n";
    return (await git(ws, ["commit-tree", tree, "-p", head], { stdin })).stdout.trim();
  });
  return { ...baseline, finished: { paths: finished, commit } };
}
