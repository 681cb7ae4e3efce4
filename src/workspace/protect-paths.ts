import { type Baseline, protectedPaths, stagedIn } from "./baseline.ts";
import { changedSince, type Fingerprint, fingerprints } from "./git/fingerprint.ts";
import { git } from "./git/git.ts";
import { commitTree, writeTree } from "./git/objects.ts";
import { kindsIn } from "./git/paths.ts";
import { withPrivateIndex } from "./git/private-index.ts";
import { toTop } from "./git/project-paths.ts";
import { stagePaths } from "./git/stage-paths.ts";
import type { Workspace } from "./git/workspace.ts";

/** Returns the baseline with additional tracked and untracked files of a person, and copies of them. */
export async function protectPaths(
  ws: Workspace,
  baseline: Baseline,
  added: { readonly dirty: readonly string[]; readonly untracked: readonly string[] },
): Promise<Baseline> {
  const [staged, dirty, untracked, copies] = await Promise.all([
    stagedIn(ws, added.dirty),
    fingerprints(ws.root, added.dirty),
    fingerprints(ws.root, added.untracked),
    keepCopies(ws, [...added.dirty, ...added.untracked]),
  ]);
  return {
    ...baseline,
    staged: { ...baseline.staged, ...staged },
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
  const kindOf = kindsIn(ws.root);
  for (const path of paths.slice(0, maxCopies.files)) {
    const stats = path.includes("\n") ? undefined : kindOf(path);
    if (!stats?.isFile() || stats.size > maxCopies.fileBytes || bytes + stats.size > maxCopies.bytes)
      continue;
    bytes += stats.size;
    wanted.push(path);
  }
  if (wanted.length === 0) return {};
  const stdin = wanted.map((path) => `${toTop(ws, path)}\n`).join("");
  const { code, stdout } = await git(ws, ["hash-object", "-w", "--no-filters", "--stdin-paths"], {
    stdin,
    accept: "any",
  });
  if (code !== 0) return {};
  const blobs = stdout.split("\n");
  return Object.fromEntries(wanted.map((path, index) => [path, blobs[index] ?? ""] as const));
}

/** A person's file that an agent overwrote. */
export interface OverwrittenFile {
  /** The file as the agent left it. */
  readonly left: Fingerprint;
  /** The blob with the person's content. */
  readonly copy: string;
}

/**
 * Returns the person's files that were overwritten by now: those of `known`, and those changed since the baseline that have a
 * copy. A ref below `refs/ralph/overwritten/` keeps each copy from git's garbage collection.
 */
export async function keepOverwritten(
  ws: Workspace,
  baseline: Baseline,
  known: readonly OverwrittenFile[],
): Promise<readonly OverwrittenFile[]> {
  const finished = new Set(baseline.finished?.paths);
  const { copies = {} } = baseline;
  const changed = await changedSince(ws.root, [...baseline.dirty, ...baseline.untracked]);
  const edited = [...new Set(changed)].filter((path) => copies[path] && !finished.has(path));
  if (edited.length === 0) return known;
  const left = await fingerprints(ws.root, edited);
  const added = left.map((file) => ({ left: file, copy: copies[file.path] ?? "" }));
  // A copy that the agent made git prune has no ref: the attempt still ends in order.
  for (const { copy } of added)
    await git(ws, ["update-ref", `refs/ralph/overwritten/${copy}`, copy], { accept: "any" });
  const isAdded = new Set(edited);
  return [...known.filter((file) => !isAdded.has(file.left.path)), ...added];
}

/** Returns those of the `known` files that still are as the agent left them: the person has not changed them since. */
export async function stillOverwritten(
  ws: Workspace,
  known: readonly OverwrittenFile[],
): Promise<readonly OverwrittenFile[]> {
  const changed = await changedSince(
    ws.root,
    known.map(({ left }) => left),
  );
  const isChanged = new Set(changed);
  return known.filter(({ left }) => !isChanged.has(left.path));
}

/**
 * Returns copies of all files that belong to a person. Of an overwritten file this is the person's version, not what the
 * agent left in its place.
 */
export async function keepPersonsCopies(
  ws: Workspace,
  baseline: Baseline,
  overwritten: readonly OverwrittenFile[],
): Promise<Readonly<Record<string, string>>> {
  const originals = Object.fromEntries(overwritten.map(({ left, copy }) => [left.path, copy] as const));
  const others = protectedPaths(baseline).filter((path) => originals[path] === undefined);
  return { ...(await keepCopies(ws, others)), ...originals };
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
      finished.map((path) => toTop(ws, path)),
      indexFile,
    );
    const tree = await writeTree(ws, indexFile);
    return commitTree(ws, {
      tree,
      parents: [head],
      message: "ralph: what finished tasks left uncommitted\n",
    });
  });
  return { ...baseline, finished: { paths: finished, commit } };
}
