import { changedSince, type Fingerprint, identityOf, movedTo } from "../git/fingerprint.ts";
import { kindsIn } from "../git/paths.ts";
import { pathsIn } from "../git/project-paths.ts";
import type { Workspace } from "../git/workspace.ts";
import { type IgnoredFiles, ignoredBefore } from "./ignored-files.ts";

/** The files of a baseline that belong to a person. */
interface PersonsFiles {
  readonly head: string | null;
  readonly untracked: readonly Fingerprint[];
  readonly dirty: readonly Fingerprint[];
  readonly ignored?: IgnoredFiles;
  /** Those that finished tasks left do not. */
  readonly finished?: { readonly paths: readonly string[] };
}

/** Changed paths that hold a person's file, each with the path that it had: the same path for one that git ignored. */
export type Moved = ReadonlyMap<string, string>;

/**
 * Returns those of the changed paths that now hold a person's file, moved or linked, or the former content of one that changed,
 * and those that git ignored. Starts no process unless there are any.
 */
export async function movedFiles(
  ws: Workspace,
  files: PersonsFiles,
  paths: () => Promise<readonly string[]>,
): Promise<Moved> {
  const { ignored } = files;
  const known = [...files.untracked, ...files.dirty];
  if (known.length === 0 && !ignored) return new Map();
  const isKnown = new Set(known.map(({ path }) => path));
  const others = [...new Set(await paths())].filter((path) => !isKnown.has(path));
  if (others.length === 0) return new Map();
  const finished = new Set(files.finished?.paths);
  const persons = known.filter(({ path }) => !finished.has(path));
  const changed = new Set(await changedSince(ws.root, persons));
  const lost = persons.filter(({ path }) => changed.has(path));
  const linked = linkedTo(ws.root, identitiesOf(persons), others);
  const wereIgnored = ignored ? await ignoredAt(ws, { ...files, ignored }, others) : new Map();
  return new Map([...wereIgnored, ...linked, ...(await movedTo(ws.root, lost, others))]);
}

function identitiesOf(files: readonly Fingerprint[]): ReadonlyMap<string, string> {
  const found = files.filter(({ size }) => size > 0);
  return new Map(found.flatMap(({ path, identity }) => (identity ? [[identity, path] as const] : [])));
}

/** Returns the paths at which the very files are, under another name; by identity. */
function linkedTo(root: string, files: ReadonlyMap<string, string>, paths: readonly string[]): Moved {
  const found = new Map<string, string>();
  if (files.size === 0) return found;
  const kindOf = kindsIn(root);
  for (const path of paths) {
    const stats = kindOf(path);
    const from = stats?.isFile() && stats.size > 0 ? files.get(identityOf(stats) ?? "") : undefined;
    if (from !== undefined && from !== path) found.set(path, from);
  }
  return found;
}

/** Returns the paths that hold what git ignored: at its own path, moved, or linked. */
async function ignoredAt(
  ws: Workspace,
  { head, ignored }: Pick<PersonsFiles, "head"> & { readonly ignored: IgnoredFiles },
  paths: readonly string[],
): Promise<Moved> {
  const identities = Object.entries(ignored.identities).map(([path, identity]) => [identity, path] as const);
  const linked = linkedTo(ws.root, new Map(identities), paths);
  const same = ignoredBefore(ws.root, ignored, paths).map((path) => [path, path] as const);
  const found = new Map([...linked, ...same]);
  if (found.size === 0 || head === null) return found;
  // A build may link tracked files into an ignored folder: an edit of one does not move a person's file.
  const kindOf = kindsIn(ws.root);
  const tracked = await pathsIn(ws, head, [...found.keys()]);
  return new Map([...found].filter(([path, from]) => !tracked.has(path) || (path !== from && !kindOf(from))));
}

interface Now {
  readonly paths: Readonly<Record<"tracked" | "untracked" | "committed", readonly string[]>>;
  /** The commit of HEAD. */
  readonly head: string | null;
}

/** As `movedFiles`; `movedOver` are those at which HEAD has another file. */
export async function movedSince(
  ws: Workspace,
  files: PersonsFiles,
  { paths, head }: Now,
): Promise<{ readonly moved: Moved; readonly movedOver: readonly string[] }> {
  const { tracked, untracked, committed } = paths;
  const moved = await movedFiles(ws, files, async () => [...tracked, ...untracked, ...committed]);
  const changed = tracked.filter((path) => moved.has(path) && moved.get(path) !== path);
  if (head === null || changed.length === 0) return { moved, movedOver: [] };
  const inHead = await pathsIn(ws, head, changed);
  return { moved, movedOver: changed.filter((path) => inHead.has(path)) };
}
