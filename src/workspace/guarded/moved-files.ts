import { changedSince, type Fingerprint, movedTo } from "../git/fingerprint.ts";
import { gitRead, splitNul } from "../git/git.ts";
import type { Workspace } from "../workspace.ts";

/** The files of a baseline that belong to a person. */
interface PersonsFiles {
  readonly untracked: readonly Fingerprint[];
  readonly dirty: readonly Fingerprint[];
  /** Those that finished tasks left do not. */
  readonly finished?: { readonly paths: readonly string[] };
}

/** Changed paths that hold a person's file, each with the path that it had. */
export type Moved = ReadonlyMap<string, string>;

/** Returns those of the paths that now hold one of the person's changed files, or its former content. Starts no process. */
export async function movedFiles(
  ws: Pick<Workspace, "root">,
  files: PersonsFiles,
  paths: () => Promise<readonly string[]>,
): Promise<Moved> {
  const known = [...files.untracked, ...files.dirty];
  const changed = new Set(await changedSince(ws.root, known));
  for (const path of files.finished?.paths ?? []) changed.delete(path);
  const lost = known.filter(({ path }) => changed.has(path));
  if (lost.length === 0) return new Map();
  const isKnown = new Set(known.map(({ path }) => path));
  const others = (await paths()).filter((path) => !isKnown.has(path));
  return movedTo(ws.root, lost, others);
}

interface Now {
  /** The person's paths that changed. */
  readonly edits: readonly string[];
  readonly paths: Readonly<Record<"tracked" | "untracked" | "committed", readonly string[]>>;
  /** The commit of HEAD. */
  readonly head: string | null;
}

/** As `movedFiles`; `movedOver` are those that HEAD has, with other content. */
export async function movedSince(
  ws: Workspace,
  files: PersonsFiles,
  { edits, paths, head }: Now,
): Promise<{ readonly moved: Moved; readonly movedOver: readonly string[] }> {
  const { tracked, untracked, committed } = paths;
  const all = async (): Promise<readonly string[]> => [...tracked, ...untracked, ...committed];
  const moved: Moved = edits.length === 0 ? new Map() : await movedFiles(ws, files, all);
  const changed = tracked.filter((path) => moved.has(path));
  if (head === null || changed.length === 0) return { moved, movedOver: [] };
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", head, "--"];
  const { stdout } = await gitRead(ws, [...args, ...changed.map((path) => ws.prefix + path)]);
  return { moved, movedOver: splitNul(stdout).map((path) => path.slice(ws.prefix.length)) };
}
