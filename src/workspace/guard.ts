import { join, relative } from "node:path";
import { RalphError } from "../base/errors.ts";
import { nameOf } from "./git/paths.ts";
import { openClosed } from "./guarded/closed-places.ts";
import { type CommittedGuarded, committedGuarded, stagedGuarded } from "./guarded/committed-guarded.ts";
import { type Destination, newDestinations } from "./guarded/config/destinations.ts";
import { restoreRefused } from "./guarded/config/refused-values.ts";
import { commandsIn } from "./guarded/config/starting-values.ts";
import { readConfigs, userFolder, userRules } from "./guarded/config-files.ts";
import {
  type GitFiles,
  gitFiles,
  gitGone,
  isIndexReadable,
  rebuildIndex,
  removeUnfinished,
  repairGitFiles,
  repairHistory,
  restoreHead,
} from "./guarded/git-files.ts";
import { nestedGit } from "./guarded/git-folder/nested-git.ts";
import {
  type FolderGuard,
  guardFolders,
  type RestoredFolders,
  restoreFolders,
} from "./guarded/guarded-folders.ts";
import { type IndexFlags, indexKind, readIndexFlags, restoreIndexFlags } from "./guarded/index-flags.ts";
import { type Aside, setAside } from "./guarded/keep-copies.ts";
import { isLarge, namedFiles } from "./guarded/named-files.ts";
import { clearRalphRefs } from "./guarded/ralph-refs.ts";
import { kindOf, snapshotFile } from "./guarded/remembered.ts";
import { isEquallySafe } from "./guarded/restore/equally-safe.ts";
import {
  changedEntries,
  type GuardedEntries,
  type Restored,
  restoreEntries,
} from "./guarded/restore/restore-entries.ts";
import {
  changedUserConfig,
  guardUserConfig,
  restoreUserConfig,
  type UserConfig,
} from "./guarded/user-config.ts";
import { guardUserSettings, restoreUserSettings, type UserSettings } from "./guarded/user-settings.ts";
import { withHooksDir } from "./hooks/hooks-folder.ts";
import { hooksElsewhere, hooksIn, isOwn } from "./hooks/watched-folders.ts";
import type { Workspace } from "./workspace.ts";

/** Snapshots of the files that an agent must not rewrite, as JSON that survives a crash. */
export interface Guard extends GuardedEntries {
  /** Git's configuration outside the repository, which a person may change meanwhile. Absent in a guard of an older version. */
  readonly userConfig?: readonly UserConfig[];
  /** Absent as above; null without a home. */
  readonly userSettings?: UserSettings | null;
  /** The files that git does not look at; absent in states of earlier versions. */
  readonly indexFlags?: IndexFlags;
  /** Absent as above. */
  readonly gitFiles?: GitFiles;
}

/**
 * Snapshots what determines which programs git and ralph start (LOOP-18): git's configuration, the repository's and the
 * user's; hooks, attributes and excludes; the scripts that configuration and hooks name; ralph's settings. Keeps the bytes.
 * Usually starts no process.
 */
export async function guard(ws: Workspace): Promise<Guard> {
  const hooked = await withHooksDir(ws);
  const contents = readConfigs(ws);
  const configs = [...contents.keys()];
  const own = configs.filter((path) => isOwn(ws, path));
  // In a linked work tree or a submodule, `.git` is a file that names the git folder.
  const gitEntry = join(ws.topLevel, ".git");
  const nested = nestedGit(ws);
  const hooks = [...new Set([join(ws.commonDir, "hooks"), ...hooksElsewhere(hooked), ...nested.hooks])];
  const commands = [...contents].flatMap(([path, { values }]) => {
    const run = commandsIn(values);
    return run.length > 0 ? [{ path, text: run.join("\n") }] : [];
  });
  const paths = [
    ...(snapshotFile(gitEntry).kind === "folder" ? [] : [gitEntry]),
    join(ws.commonDir, "info"),
    ...hooks,
    join(ws.root, ".ralph"),
    // A planted file would redirect git to another configuration.
    join(ws.gitDir, "commondir"),
    join(ws.gitDir, "config.worktree"),
    ...nested.files,
    ...own,
    join(ws.commonDir, "info", "attributes"),
    join(ws.commonDir, "info", "exclude"),
    ...["alternates", "http-alternates"].map((name) => join(ws.commonDir, "objects", "info", name)),
    ...userRules(ws, contents),
    ...hooks.flatMap((folder) => hooksIn(folder).map((name) => join(folder, name))),
    ...namedFiles(ws, commands).filter((path) => !isLarge(path)),
    ...["config.yaml", ".gitignore", "prompt.md"].map((name) => join(ws.root, ".ralph", name)),
  ];
  const isConfig = new Set([...own, ...nested.configs, join(ws.gitDir, "config.worktree")]);
  return {
    entries: [...new Set(paths)].map((path) => ({
      ...{ path, was: snapshotFile(path) },
      ...(isConfig.has(path) && { isConfig: true }),
    })),
    closedFolders: hooks,
    userConfig: guardUserConfig(configs.filter((path) => !own.includes(path))),
    userSettings: guardUserSettings(ws),
    indexFlags: await readIndexFlags(ws, indexKind(contents)),
    gitFiles: gitFiles(ws),
  };
}

/**
 * Restores the flags `skip-worktree` and `assume-unchanged` of tracked files, so that no diff hides what the agent changed,
 * rebuilds an index that git cannot read, and removes what is in the way of ralph's refs. Must run after `restoreGuarded`.
 * Returns a sentence for each. Starts git only when a flag differs, the index is damaged or packed refs are in the way.
 */
export async function restoreHidden(
  ws: Workspace,
  before: Guard,
  keepIn: string,
): Promise<readonly string[]> {
  const refs = await clearRalphRefs(ws, keepIn);
  if (!before.indexFlags) return refs;
  const kind = indexKind(readConfigs(ws));
  const isDamaged = before.gitFiles?.hasIndex === true && !(await isIndexReadable(ws, kind));
  if (isDamaged) await rebuildIndex(ws, keepIn);
  const warnings = await restoreIndexFlags(ws, before.indexFlags, kind);
  const rebuilt = isDamaged ? ["rebuilt git's index from the last commit: it was damaged"] : [];
  return [...refs, ...rebuilt, ...warnings];
}

/**
 * Removes the locks and moves away the operations that an agent left in git's folder; a person at work in the same tree would
 * lose theirs. Puts back a HEAD that names no commit; names deleted branches and tags. Must run between `restoreGuarded` and
 * `restoreHidden`. Returns a sentence for each. Usually starts no process.
 */
export async function restoreUnfinished(
  ws: Workspace,
  { gitFiles: before }: Guard,
  keepIn: string,
): Promise<readonly string[]> {
  if (!before) return [];
  const ended = await removeUnfinished(ws, before, keepIn);
  return [...ended, ...(await restoreHead(ws, before, keepIn))];
}

/** A restored file by the name that a person uses for it. */
export interface RestoredFile {
  readonly name: string;
  /** The copy of what was there, as a path; undefined for none. */
  readonly copy?: string | undefined;
}

/**
 * Restores changed files, removes added hooks, and returns what it restored. Must run before any git command after the agent:
 * a changed configuration would take effect at once. Everyday settings of the repository (remotes, branches, colors) stay as
 * they are now. What it replaces is copied to the folder `keepIn` first. Throws RALPH_GIT_GONE if the git folder no longer
 * exists.
 */
export async function restoreGuardedFiles(
  ws: Workspace,
  before: Guard,
  keepIn: string,
): Promise<RestoredFile[]> {
  const gone = [ws.commonDir, ws.gitDir].find((folder) => kindOf(folder) !== "folder");
  if (gone !== undefined) throw gitGone(gone);
  const { repaired, entries } = restoreFirst(ws, before, keepIn);
  const copies = new Map<string, string | undefined>();
  const keep = (path: string): Aside => {
    const aside = setAside(ws, path, keepIn);
    copies.set(path, aside.copy);
    return aside;
  };
  const user = [
    ...restoreUserConfig(before.userConfig ?? [], keep),
    ...restoreUserSettings(before.userSettings, keep),
    ...(await restoreRefused(ws, before.userConfig ?? [], keep)),
  ];
  const history = before.gitFiles ? await repairHistory(ws, before.gitFiles, keepIn) : [];
  const restored = [
    ...repaired.map((path): Restored => ({ path })),
    ...entries,
    ...history,
    ...user.map((path) => ({ path, copy: copies.get(path) })),
  ];
  const named = new Map<string, RestoredFile>();
  for (const { path, copy } of restored) {
    const name = nameOf(ws, path);
    named.set(name, { name, copy: named.get(name)?.copy ?? copy });
  }
  return [...named.values()];
}

interface First {
  readonly repaired: readonly string[];
  readonly entries: readonly Restored[];
}

/** A repair that fails unexpectedly leaves no setting and no hook of an agent in place: each later git would run it. */
function restoreFirst(ws: Workspace, before: Guard, keepIn: string): First {
  try {
    const repaired = before.gitFiles ? repairGitFiles(ws, before.gitFiles, keepIn) : [];
    return { repaired, entries: restoreEntries(ws, before, keepIn) };
  } catch (error) {
    if (!(error instanceof RalphError)) restoreEntries(ws, before, keepIn);
    throw error;
  }
}

/** Does what `restoreGuardedFiles` does, and returns the names. */
export async function restoreGuarded(ws: Workspace, before: Guard, keepIn: string): Promise<string[]> {
  return (await restoreGuardedFiles(ws, before, keepIn)).map(({ name }) => name);
}

/** Returns the names of guarded files that differ from the snapshot: what `restoreGuarded` would restore. Changes nothing. */
export function plantedSince(ws: Workspace, before: Guard): string[] {
  const known = new Set(before.entries.map(({ path }) => path));
  const added = before.closedFolders.flatMap((folder) =>
    hooksIn(folder).flatMap((name) => (known.has(join(folder, name)) ? [] : [join(folder, name)])),
  );
  const changed = changedUserConfig(before.userConfig ?? []);
  return [...changedEntries(before).map(({ path }) => path), ...added, ...changed].map((path) =>
    nameOf(ws, path),
  );
}

/** Returns the new remotes, upstreams and submodules in git's configuration, which stay, by the names of its files. */
export function keptDestinations(ws: Workspace, before: Guard): readonly Destination[] {
  const kept = newDestinations(before.entries, before.userConfig ?? []);
  return kept.map((one) => ({ ...one, path: nameOf(ws, one.path) }));
}

/** Finds the guarded files that commits since `from` changed; call it after `restoreGuarded`. */
export const changedInCommits: (ws: Workspace, from: string) => Promise<CommittedGuarded> = committedGuarded;

/** Returns the guarded files that are staged otherwise than HEAD and their files are; call it after `restoreGuarded`. */
export const stagedOtherwise: (ws: Workspace) => Promise<readonly string[]> = stagedGuarded;

/**
 * Opens what the agent closed to its own user of git's and ralph's folders; returns the names. `own` is the project's folder in
 * the user's state.
 */
export function openGuarded(ws: Workspace, own: string | null): readonly string[] {
  return openClosed(ws, own).map((path) => nameOf(ws, path) || ".");
}

/** Snapshots of folders of the project, in memory. */
export type GuardedFolders = FolderGuard;

/** Snapshots folders of the project that an agent must not change (LOOP-18), relative to the root. */
export function guardTree({ root }: Workspace, folders: readonly string[]): GuardedFolders {
  return guardFolders(root, folders);
}

/** Restores these folders. What an agent, or a person meanwhile, had made of them is copied to the folder `keepIn`. */
export function restoreTree({ root }: Workspace, before: GuardedFolders, keepIn: string): RestoredFolders {
  return restoreFolders(root, before, keepIn);
}

/**
 * Reverts changes to git's configuration, hooks and attributes by the agent of a killed ralph, before any git command uses
 * them. A person may have worked since: a changed configuration that starts no new program stays, and every restored file
 * is copied to the folder `keepIn`. Returns the names of what was restored.
 */
export async function restoreAfterCrash(ws: Workspace, before: Guard, keepIn: string): Promise<string[]> {
  const ours = join(ws.root, ".ralph");
  // Ralph's settings run only as approved, and git's excludes start no program.
  const excludes = [join(ws.commonDir, "info", "exclude"), join(userFolder(ws) ?? ours, "ignore")];
  const isSpared = (path: string): boolean => excludes.includes(path) && kindOf(path) === "file";
  const isGits = (path: string): boolean => relative(ours, path).startsWith("..") && !isSpared(path);
  const entries = before.entries.filter((entry) => isGits(entry.path) && !isEquallySafe(entry));
  return restoreGuarded(ws, { ...before, entries: [...entries, ...knownHooks(before, entries)] }, keepIn);
}

/** The content of a closed folder is known only from its entries. */
function knownHooks(before: Guard, chosen: Guard["entries"]): Guard["entries"] {
  const inClosed = ({ path }: { path: string }): boolean =>
    before.closedFolders.some((folder) => path.startsWith(`${folder}/`));
  return before.entries.filter((entry) => inClosed(entry) && !chosen.includes(entry));
}
