import { join, relative } from "node:path";
import { RalphError } from "../base/errors.ts";
import { shellWord } from "../base/text.ts";
import { pathKind } from "./git/paths.ts";
import type { Workspace } from "./git/workspace.ts";
import { type IndexFlags, readIndexFlags, restoreIndexFlags } from "./tree/index-flags.ts";
import { isChanged, type KeptFile, keptFile, keptFolder, restoreFile } from "./tree/kept-files.ts";
import { configFiles, type GitConfig, restoreSettings } from "./tree/program-settings.ts";
import { restoreStashes, type Stash, stashesOf } from "./tree/stash.ts";
import { endUnfinished, noteUnfinished, type Unfinished } from "./tree/unfinished.ts";

/** The state before an agent ran of what it may not rewrite, and of what it may not leave unfinished (LOOP-18). In memory only. */
export interface NotedTree {
  readonly flags: IndexFlags;
  readonly configs: readonly GitConfig[];
  /** Git's hooks, where no sandbox keeps the agent from them; null: one does. */
  readonly hooks: readonly KeptFile[] | null;
  /** Ralph's configuration, which stays as it is. */
  settings: KeptFile;
  readonly unfinished: Unfinished;
  stashes: readonly Stash[];
}

interface Protection {
  /** True: the agent's view keeps it from git's hooks, so that a change is a person's and stays. */
  readonly viewProtects: boolean;
}

/** Notes the tree before an agent runs. Usually starts no process. */
export async function noteTree(ws: Workspace, { viewProtects }: Protection): Promise<NotedTree> {
  return {
    flags: await readIndexFlags(ws),
    configs: configFiles(ws),
    hooks: viewProtects ? null : hooksOf(ws),
    settings: keptFile(join(ws.root, ".ralph", "config.yaml")),
    unfinished: await noteUnfinished(ws),
    stashes: stashesOf(ws),
  };
}

function hooksOf({ commonDir }: Workspace): readonly KeptFile[] {
  return keptFolder(join(commonDir, "hooks"), (name) => !name.endsWith(".sample"));
}

/**
 * Ends what was left unfinished in git, and puts back what differs: hooks, the keys of git's configuration that start programs, flags
 * that hide files, dropped stashes. A file that is replaced is copied to the folder `keepIn` first. May be called repeatedly. Returns a sentence for each. Usually starts no process. Throws RALPH_GIT_GONE if git's folder no longer exists.
 */
export async function restoreTree(
  ws: Workspace,
  noted: NotedTree,
  keepIn: string,
): Promise<readonly string[]> {
  refuseWithoutGit(ws);
  const warnings = [
    ...changedSettings(noted),
    ...restoreHooks(ws, noted.hooks, keepIn),
    ...(await restoreSettings(ws, noted.configs, keepIn)),
    ...(await endUnfinished(ws, noted.unfinished)),
    ...(await restoreIndexFlags(ws, noted.flags)),
    ...(await restoreStashes(ws, noted.stashes)),
  ];
  noted.stashes = stashesOf(ws);
  return warnings;
}

/** Names ralph's configuration where it changed, once a change: this run has read it, and the next one asks for approval. */
function changedSettings(noted: Pick<NotedTree, "settings">): readonly string[] {
  if (!isChanged(noted.settings)) return [];
  noted.settings = keptFile(noted.settings.path);
  return [".ralph/config.yaml changed during the session: it counts from the next run"];
}

function restoreHooks(ws: Workspace, hooks: NotedTree["hooks"], keepIn: string): readonly string[] {
  if (hooks === null) return [];
  const known = new Set(hooks.map(({ path }) => path));
  const added = hooksOf(ws).filter(({ path }) => !known.has(path));
  const changed = [...hooks, ...added.map(({ path }) => ({ path, was: null }))].filter(isChanged);
  return changed.map((hook) => {
    const kept = restoreFile(hook, keepIn);
    const [at, copy] = [hook.path, kept ?? ""].map((path) => shellWord(relative(ws.root, path)));
    const command = kept === null ? `rm ${at}` : `cp ${copy} ${at}`;
    return `put back ${nameIn(ws, hook.path)}, as it can start a program; if you changed it: ${command}`;
  });
}

/** Git would work on a repository above the project. */
function refuseWithoutGit({ commonDir, gitDir }: Workspace): void {
  const gone = [commonDir, gitDir].find((folder) => !pathKind(folder)?.isDirectory());
  if (gone === undefined) return;
  throw new RalphError("RALPH_GIT_GONE", `The git folder ${gone} was removed during the iteration.`, {
    hint: "Restore it from a clone or a backup. ralph changes nothing until then.",
  });
}

/** Returns the path as a person writes it. */
function nameIn({ commonDir, root }: Workspace, path: string): string {
  const inGit = relative(commonDir, path);
  return inGit.startsWith("..") ? relative(root, path) : join(".git", inGit);
}
