import { chmodSync, type Stats } from "node:fs";
import { join } from "node:path";
import { openTurns } from "../../base/clock.ts";
import { runTool, systemFirst } from "../../process/run-tool.ts";
import { kindsIn } from "../git/paths.ts";
import { type Status, status, statusAhead } from "../git/status.ts";
import type { Workspace } from "../git/workspace.ts";
import type { FileSize } from "./unstorable.ts";

interface OpenedStatus {
  readonly now: Status;
  /** The paths that were closed. */
  readonly opened: readonly string[];
  readonly files: readonly FileSize[];
  /** Paths that are neither a file, a folder nor a link. */
  readonly others: readonly string[];
}

/** Paths after which others have their turn, if it is time: asking takes as long as a look. */
const perBatch = 64;

/**
 * Returns the status of a tree that can be read: opens the folders and changed files that a test, for example, closed to its own
 * user (`chmod 000`). Looks once at each path, of which there can be hundreds of thousands.
 */
export async function openedStatus(ws: Workspace): Promise<OpenedStatus> {
  let now = await statusAhead(ws);
  const { isPartial } = now;
  if (isPartial) {
    await openFolders(ws);
    now = await status(ws);
  }
  const kindOf = kindsIn(ws.root);
  const opened: string[] = isPartial ? ["folders of the work tree"] : [];
  const files: FileSize[] = [];
  const others: string[] = [];
  const look = (path: string): void => {
    const found = kindOf(path);
    if (!found) return;
    if (found.isFile()) files.push({ path, bytes: found.size });
    else if (!found.isDirectory() && !found.isSymbolicLink()) others.push(path);
    if (openFile(join(ws.root, path), found)) opened.push(path);
  };
  const turn = openTurns();
  const paths = [...now.tracked, ...now.untracked];
  for (let at = 0; at < paths.length; at += perBatch) {
    for (const path of paths.slice(at, at + perBatch)) look(path);
    await turn();
  }
  return { now, opened, files, others };
}

/** In a process of its own, which may take long. */
async function openFolders({ topLevel, env }: Workspace): Promise<void> {
  const closed = ["-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", ";"];
  const argv = ["find", topLevel, "-xdev", "-name", ".git", "-prune", "-o", ...closed] as const;
  await runTool(argv, { cwd: "/", env: systemFirst(env), timeoutMs: 60_000 });
}

/** Lets the owner read a file. Returns true when that was needed. */
function openFile(path: string, found: Stats): boolean {
  if (!found.isFile() || (found.mode & 0o400) !== 0) return false;
  try {
    chmodSync(path, (found.mode & 0o7777) | 0o400);
    return true;
  } catch {
    // Another user's.
    return false;
  }
}
