import { chmodSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import { runTool, systemFirst } from "../../process/run-tool.ts";
import type { Workspace } from "../workspace.ts";
import { userFolder } from "./config-files.ts";

/** The paths in git's folder that git and ralph open by name. */
const inGit: readonly string[] = [
  ...["", "HEAD", "config", "index", "packed-refs", "hooks", "info", "info/attributes", "info/exclude"],
  ...["logs", "logs/HEAD", "logs/refs", "logs/refs/heads", "objects", "objects/info", "objects/pack"],
  ...["refs", "refs/heads", "refs/tags", "refs/ralph"],
  ...["refs/ralph/salvage", "refs/ralph/rollback", "refs/ralph/overwritten"],
];
/** Files that ralph opens to write. */
const writtenFiles = new Set([
  "progress.db",
  "progress.db-wal",
  "progress.db-shm",
  "events.jsonl",
  "head.json",
]);
const inTree: readonly string[] = [".gitignore", ".gitattributes", ".gitmodules", ".claude", ".agents"];

/**
 * Gives the owner back what an agent took from itself and thereby from git and ralph: the right to enter and write the folders
 * of git and of ralph, and to read their files. `own` is the project's folder in the user's state. Returns the opened paths.
 * Starts no process. Does nothing for root, which needs no right to enter.
 */
export function openClosed(ws: Workspace, own: string | null): readonly string[] {
  if (process.geteuid?.() === 0 && !isRootStopped()) return [];
  const opened: string[] = [];
  // What is in a folder is listed after the folder was opened.
  for (const path of placesOf(ws, own))
    if (openOne(path, writtenFiles.has(basename(path)) ? 0o600 : 0o400)) opened.push(path);
  return opened;
}

let rootStopped: boolean | undefined;

/** Checks, on Linux, whether root lacks CAP_DAC_OVERRIDE, by which it enters what is closed: a container may have dropped it. */
function isRootStopped(): boolean {
  rootStopped ??= !hasOverride(textOf("/proc/self/status"));
  return rootStopped;
}

function hasOverride(status: string): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return (BigInt(`0x${effective}`) & 0b10n) !== 0n;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function* placesOf(ws: Workspace, own: string | null): Iterable<string> {
  yield* ofUser(ws, own);
  for (const top of new Set([ws.topLevel, ws.root])) yield* [top, ...inTree.map((name) => join(top, name))];
  for (const folder of new Set([ws.commonDir, ws.gitDir])) for (const name of inGit) yield join(folder, name);
  const objects = join(ws.commonDir, "objects");
  yield* namesIn(objects).flatMap((name) => (name.length === 2 ? [join(objects, name)] : []));
  const ralphs = join(ws.root, ".ralph");
  yield ralphs;
  yield* below(ralphs);
  for (const name of ["alive", "logs", "tmp"]) yield* below(join(ralphs, name));
}

/** The folders and files of the user's configuration of git, and of ralph's state. */
function* ofUser(ws: Workspace, own: string | null): Iterable<string> {
  const home = ws.env["HOME"];
  if (home) yield* [home, join(home, ".gitconfig")];
  const folder = userFolder(ws);
  if (folder !== null) yield* [dirname(folder), folder];
  if (folder !== null) yield* ["config", "attributes", "ignore"].map((name) => join(folder, name));
  const state = ws.env["XDG_STATE_HOME"] || (home ? join(home, ".local/state") : "");
  if (!state) return;
  const all = join(state, "ralph");
  yield* [state, all];
  yield* below(all);
  if (own !== null) yield own;
  if (own !== null) yield* below(own);
}

function below(folder: string): readonly string[] {
  return namesIn(folder).map((name) => join(folder, name));
}

/** Opens the closed folders of the work tree, and the files that cannot be read, in a process of its own. */
export async function openTree({ topLevel, env }: Workspace): Promise<void> {
  const folders = ["-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", ";"];
  const files = ["-type", "f", "!", "-perm", "-400", "-exec", "chmod", "u+r", "{}", "+"];
  const argv = [
    "find",
    topLevel,
    "-xdev",
    "-name",
    ".git",
    "-prune",
    "-o",
    ...folders,
    "-o",
    ...files,
  ] as const;
  await runTool(argv, { cwd: "/", env: systemFirst(env), timeoutMs: 60_000 });
}

/** Lets the owner enter and write a folder, or read a file. Returns true when that was needed. `seen`: its state, if known. */
export function openOne(path: string, ofFile = 0o400, seen?: Stats): boolean {
  try {
    // An error takes longer to make than the call itself, and most of these are missing.
    const found = seen ?? lookAt(path);
    if (!found?.isDirectory() && !found?.isFile()) return false;
    const needed = found.isDirectory() ? 0o700 : ofFile;
    if ((found.mode & needed) === needed) return false;
    chmodSync(path, (found.mode & 0o7777) | needed);
    return true;
  } catch {
    // Another user's.
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
