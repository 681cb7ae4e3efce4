import { join, relative } from "node:path";
import { RalphError } from "../base/errors.ts";
import { pathKind } from "./git/paths.ts";
import type { Workspace } from "./git/workspace.ts";
import { type IndexFlags, readIndexFlags, restoreIndexFlags } from "./tree/index-flags.ts";
import { type KeptFile, keptFile, keptFolder, restoreFile } from "./tree/kept-files.ts";
import { configFiles, type GitConfig, restoreSettings } from "./tree/program-settings.ts";
import { restoreStashes, type Stash, stashesOf } from "./tree/stash.ts";
import { endUnfinished, noteUnfinished, type Unfinished } from "./tree/unfinished.ts";

/** The state before an agent ran of what it may not rewrite, and of what it may not leave unfinished (LOOP-18). In memory only. */
export interface NotedTree {
  readonly flags: IndexFlags;
  readonly configs: readonly GitConfig[];
  /** Ralph's configuration and git's hooks, where no sandbox keeps the agent from them. */
  readonly files: readonly KeptFile[];
  readonly unfinished: Unfinished;
  stashes: readonly Stash[];
}

interface Protection {
  /** True: the agent's view keeps it from ralph's configuration and git's hooks, so that a change is a person's and stays. */
  readonly viewProtects: boolean;
}

/** Notes the tree before an agent runs. Usually starts no process. */
export async function noteTree(ws: Workspace, { viewProtects }: Protection): Promise<NotedTree> {
  return {
    flags: await readIndexFlags(ws),
    configs: configFiles(ws),
    files: viewProtects ? [] : [keptFile(join(ws.root, ".ralph", "config.yaml")), ...hooksOf(ws)],
    unfinished: await noteUnfinished(ws),
    stashes: stashesOf(ws),
  };
}

function hooksOf({ commonDir }: Workspace): readonly KeptFile[] {
  return keptFolder(join(commonDir, "hooks"), (name) => !name.endsWith(".sample"));
}

/**
 * Ends what was left unfinished in git, and puts back what differs: ralph's configuration, hooks, the keys of git's configuration
 * that start programs, flags that hide files, dropped stashes. A file that is replaced is copied to the folder `keepIn` first. May be
 * called repeatedly. Returns a sentence for each. Usually starts no process. Throws RALPH_GIT_GONE if git's folder no longer exists.
 */
export async function restoreTree(
  ws: Workspace,
  noted: NotedTree,
  keepIn: string,
): Promise<readonly string[]> {
  refuseWithoutGit(ws);
  const keep = relative(ws.root, keepIn);
  const known = new Set(noted.files.map(({ path }) => path));
  const isAdded = ({ path }: KeptFile): boolean => !known.has(path);
  const added = noted.files.length === 0 ? [] : hooksOf(ws).filter(isAdded);
  const files = [...noted.files, ...added.map(({ path }) => ({ path, was: null }))];
  const changed = files.flatMap((file) => (restoreFile(file, keepIn) ? [nameIn(ws, file.path)] : []));
  const warnings = [
    ...changed.map((name) => `put back ${name}: an agent may not change it; its version is in ${keep}`),
    ...(await restoreSettings(ws, noted.configs, keepIn)),
    ...(await endUnfinished(ws, noted.unfinished)),
    ...(await restoreIndexFlags(ws, noted.flags)),
    ...(await restoreStashes(ws, noted.stashes)),
  ];
  noted.stashes = stashesOf(ws);
  return warnings;
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
