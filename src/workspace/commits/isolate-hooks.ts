import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import { shellWord } from "../../base/text.ts";
import type { SandboxWords } from "../../process/bubblewrap.ts";
import type { IsolationLevel } from "../../process/isolation-probe.ts";
import { killMarked } from "../../process/kill-leftovers.ts";
import { isolationPrefix } from "../../process/view.ts";
import { inheritedSettings } from "../git/git.ts";
import type { Workspace } from "../git/workspace.ts";
import { configFiles } from "../tree/program-settings.ts";
import { hookNames, hooksFolder } from "./hooks-folder.ts";

/** How the processes that a hook leaves running are found and killed. */
export interface HookIsolation {
  readonly level: IsolationLevel;
  /** Marks them, as an agent's processes. */
  readonly marker: string;
  /** The view of the system that they get; null: that of their user. */
  readonly view: SandboxWords | null;
}

/** The hooks that git runs for one command. */
interface HooksToRun {
  /** The folder to run them from; undefined for git's own. */
  readonly hooksPath: string | undefined;
  /** False: no hook can run. */
  readonly any: boolean;
}

/** Returns true if git can run a hook of the work tree. */
export async function canRunHooks(ws: Workspace): Promise<boolean> {
  return hookNames(await hooksFolder(ws)).length > 0 || hasConfiguredHooks(ws);
}

/**
 * Calls `commit` with a folder of scripts that run the work tree's hooks isolated: what a hook starts, the project's tests
 * for example, does not outlive the commit. Git itself is not isolated, because signing may ask on the terminal. Without
 * hooks, or without `isolation`, `commit` gets git's own folder.
 */
export async function withIsolatedHooks<T>(
  ws: Workspace,
  isolation: HookIsolation | undefined,
  commit: (hooks: HooksToRun) => Promise<T>,
): Promise<T> {
  const hooksDir = await hooksFolder(ws);
  const names = hookNames(hooksDir);
  const any = names.length > 0 || hasConfiguredHooks(ws);
  if (!isolation || names.length === 0) return commit({ hooksPath: undefined, any });
  return inScripts(ws, { hooksDir, names, isolation }, commit);
}

interface HookScripts {
  readonly hooksDir: string;
  readonly names: readonly string[];
  readonly isolation: HookIsolation;
}

async function inScripts<T>(
  ws: Workspace,
  { hooksDir, names, isolation }: HookScripts,
  commit: (hooks: HooksToRun) => Promise<T>,
): Promise<T> {
  const prefix = await isolationPrefix(isolation.level, isolation.marker, isolation.view);
  // Recovery removes what a kill leaves there.
  const above = join(ws.root, ".ralph", "tmp");
  makeFolders(above);
  const folder = mkdtempSync(join(above, "hooks-"));
  try {
    for (const name of names) {
      writeFileSync(join(folder, name), scriptFor(join(hooksDir, name), prefix, isolation.marker));
      chmodSync(join(folder, name), 0o700);
    }
    return await commit({ hooksPath: folder, any: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (isolation.level === "process-group") await killMarked(isolation.marker);
  }
}

/** Newer versions of git also run hooks that its configuration names (`hook.<name>.command`). */
function hasConfiguredHooks(ws: Workspace): boolean {
  return configFiles(ws).some(({ text }) => /^\s*\[hook\s/im.test(text));
}

/** The hook sees git's settings without the folder of these scripts. */
function scriptFor(hook: string, prefix: readonly string[], marker: string): string {
  const words = [...prefix, hook].map(shellWord).join(" ");
  return [
    "#!/bin/sh",
    `export GIT_CONFIG_PARAMETERS=${shellWord(inheritedSettings)} RALPH_MARKER=${shellWord(marker)}`,
    `exec ${words} "$@"`,
    "",
  ].join("\n");
}
