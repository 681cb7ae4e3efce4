import { createHash } from "node:crypto";
import { RalphError } from "../../base/errors.ts";
import { operationInProgress } from "../git/end-operations.ts";
import { git, gitLines, gitPaths, gitRead } from "../git/git.ts";
import { resetEntries, type StagedEntry, setEntries, stagedSince } from "../git/index-entries.ts";
import { objectOf, writeTree } from "../git/objects.ts";
import { withPrivateIndex } from "../git/private-index.ts";
import { type Head, readHead } from "../git/read-head.ts";
import { takeOutReason } from "../git/status.ts";
import type { Workspace } from "../git/workspace.ts";

interface TakeOut {
  /** The commit of HEAD at the start: all later commits are an agent's. */
  readonly base: string;
  /** A person's paths, relative to the top level. */
  readonly paths: ReadonlySet<string>;
  /** Their index entries then; absent where it is not known. */
  readonly staged: Readonly<Record<string, StagedEntry>>;
  /** The ref that keeps the commits as they were. */
  readonly keptAs: string;
}

/** The paths that commits contain, and why they stay there; null: they were taken out. */
export interface TakenOut {
  readonly paths: readonly string[];
  readonly refused: string | null;
}

/** Returns those of the paths, relative to the top level, that `head` has and `base` has not. */
export async function addedSince(
  ws: Workspace,
  { base, head, paths }: { readonly base: string; readonly head: string; readonly paths: readonly string[] },
): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A"];
  return gitPaths(ws, [...args, base, head, "--", ...paths]);
}

/** Each takes several starts of git. */
const maxCommits = 200;

/**
 * Takes a person's paths out of an agent's commits: each commit is made again with its message, author and dates, but with
 * these paths as they are in `base`; one that held nothing else, even a signed one, is left out. The index gets their entries
 * back, unless they were staged again since; the files are not touched. Commits that cannot be replaced without harm stay as
 * they are: merges, signed ones, those that are not UTF-8, and those that another branch, a tag or a remote has. A repeated call
 * completes one that a kill ended. Never throws for what git refuses.
 */
export async function takeOut(ws: Workspace, request: TakeOut): Promise<TakenOut> {
  const at = await readHead(ws);
  const none = { paths: [], refused: null };
  if (at.hash === null || at.hash === request.base || request.paths.size === 0) return none;
  const found = await commitsWith(ws, { ...request, head: at.hash });
  if (found.paths.length === 0) return none;
  try {
    const refused = await whyNot(ws, request.base, { at, commits: found.commits });
    if (refused === null) {
      const paths = new Set(found.paths);
      await replace(ws, { ...request, at, head: at.hash, commits: found.commits, paths });
    }
    return { paths: found.paths, refused };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { paths: found.paths, refused: error.message };
  }
}

interface Found {
  /** The first commit with one of the paths, and all after it; oldest first. */
  readonly commits: readonly string[];
  readonly paths: readonly string[];
}

async function commitsWith(
  ws: Workspace,
  { base, head, paths }: Pick<TakeOut, "base" | "paths"> & { readonly head: string },
): Promise<Found> {
  const range = `${base}..${head}`;
  const touched = await gitPaths(ws, ["log", ...namesOnly, range]);
  const taken = [...new Set(touched)].filter((path) => paths.has(path));
  if (taken.length === 0) return { commits: [], paths: [] };
  const order = ["--reverse", "--topo-order", "--full-history", range];
  const [first = ""] = await gitLines(ws, ["--literal-pathspecs", "rev-list", ...order, "--", ...taken]);
  const all = await gitLines(ws, ["rev-list", ...order]);
  return { commits: all.slice(all.indexOf(first)), paths: taken };
}

const namesOnly = ["--format=", "--no-show-signature", "--no-renames", "--name-only", "-m", "-z"];

/** Returns why the commits cannot be replaced; null: they can. */
async function whyNot(
  ws: Workspace,
  base: string,
  { at, commits }: { readonly at: Head; readonly commits: readonly string[] },
): Promise<string | null> {
  const busy = await operationInProgress(ws);
  if (busy) return `a git ${busy} is in progress`;
  if (commits.length > maxCommits) return `it is followed by more than ${maxCommits} commits`;
  const lines = await gitLines(ws, ["rev-list", "--parents", `${base}..${at.hash}`]);
  const isLine = lines.every((line, index) => {
    const [, parent, second] = line.split(" ");
    return second === undefined && parent === (lines[index + 1]?.split(" ")[0] ?? base);
  });
  if (!isLine) return "it is part of a merge, or not on top of where the task began";
  const [first = ""] = commits;
  const refs = await gitLines(ws, ["for-each-ref", `--contains=${first}`, "--format=%(refname)"]);
  const other = refs.find((ref) => ref !== at.ref && !/^refs\/(ralph\/|stash$)/.test(ref));
  return other === undefined ? null : `${other.replace(/^refs\/(heads|tags|remotes)\//, "")} has it too`;
}

interface Replacement extends TakeOut, Omit<Found, "paths"> {
  readonly at: Head;
  readonly head: string;
}

async function replace(
  ws: Workspace,
  { base, commits, at, head, paths, staged, keptAs }: Replacement,
): Promise<void> {
  const treeOf = (commit: string): Promise<string> => objectOf(ws, `${commit}^{tree}`);
  const newHead = await withPrivateIndex(ws, base, async (indexFile) => {
    let parent = await objectOf(ws, `${commits[0] ?? head}^`);
    for (const commit of commits) {
      await git(ws, ["read-tree", "--reset", commit], { indexFile });
      await resetEntries(ws, paths, base, { indexFile });
      const tree = await writeTree(ws, indexFile);
      const isEmpty = tree === (await treeOf(parent)) && tree !== (await treeOf(commit));
      if (!isEmpty) parent = await withTree(ws, { commit, tree, parent });
    }
    return parent;
  });
  await git(ws, ["update-ref", keptAs, head]);
  // Before HEAD: after a kill in between, the commits are found and replaced again.
  await restoreEntries(ws, { paths, staged, base, head });
  await git(ws, ["update-ref", "-m", takeOutReason, at.ref ?? "HEAD", newHead, head]);
}

/** Stores the commit with another tree and parent; all other bytes are the same. */
async function withTree(
  ws: Workspace,
  { commit, tree, parent }: { readonly commit: string; readonly tree: string; readonly parent: string },
): Promise<string> {
  const { stdout } = await gitRead(ws, ["cat-file", "commit", commit]);
  const end = stdout.indexOf("\n\n");
  const header = stdout.slice(0, end);
  // Only a line feed begins a header line; an author's name may have other separators.
  if (/\n(?:gpgsig|mergetag)/.test(header)) throw new RalphError("RALPH_GIT_FAILED", "a commit is signed");
  if (!hasHash(stdout, commit))
    throw new RalphError("RALPH_GIT_FAILED", "a commit's message or author is not UTF-8");
  const stdin = `${header.replace(/^tree .*$/m, `tree ${tree}`).replace(/^parent .*$/m, `parent ${parent}`)}${stdout.slice(end)}`;
  return (await git(ws, ["hash-object", "-t", "commit", "-w", "--stdin"], { stdin })).stdout.trim();
}

/** Reports whether the text is the commit's bytes: what is not UTF-8 was replaced when it was read. */
function hasHash(text: string, commit: string): boolean {
  const bytes = Buffer.from(text);
  const hash = createHash(commit.length === 40 ? "sha1" : "sha256");
  return hash.update(`commit ${bytes.length}\0`).update(bytes).digest("hex") === commit;
}

/** Restores the entries that are as the agent committed them: others were staged since. */
async function restoreEntries(
  ws: Workspace,
  { paths, staged, base, head }: Pick<TakeOut, "base" | "paths" | "staged"> & { readonly head: string },
): Promise<void> {
  const [sinceHead, sinceBase] = await Promise.all(
    [head, base].map(async (commit) => new Set(await stagedSince(ws, commit))),
  );
  const isCommitted = (path: string): boolean => !sinceHead?.has(path);
  const known = [...paths].filter((path) => isCommitted(path) && path in staged);
  const unknown = [...paths].filter((path) => isCommitted(path) && sinceBase?.has(path) && !(path in staged));
  await resetEntries(ws, unknown, base);
  await setEntries(ws, new Map(known.map((path) => [path, staged[path] ?? null])), base.length);
}
