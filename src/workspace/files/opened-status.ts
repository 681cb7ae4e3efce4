import { join } from "node:path";
import { openTurns } from "../../base/clock.ts";
import { kindsIn } from "../git/paths.ts";
import { openOne, openTree } from "../guarded/closed-places.ts";
import { type Status, status, statusAhead } from "../status.ts";
import type { Workspace } from "../workspace.ts";
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
 * Returns the status of a tree that can be read: opens the folders and changed files that an agent closed to its own user.
 * Looks once at each path, of which an agent may write hundreds of thousands.
 */
export async function openedStatus(ws: Workspace): Promise<OpenedStatus> {
  let now = await statusAhead(ws);
  const { isPartial } = now;
  if (isPartial) {
    await openTree(ws);
    now = await status(ws);
  }
  const kindOf = kindsIn(ws.root);
  const opened: string[] = isPartial ? ["folders or files of the work tree"] : [];
  const files: FileSize[] = [];
  const others: string[] = [];
  const look = (path: string): void => {
    const found = kindOf(path);
    if (!found) return;
    if (found.isFile()) files.push({ path, bytes: found.size });
    else if (!found.isDirectory() && !found.isSymbolicLink()) others.push(path);
    if (openOne(join(ws.root, path), 0o400, found)) opened.push(path);
  };
  const turn = openTurns();
  const paths = [...now.tracked, ...now.untracked];
  for (let at = 0; at < paths.length; at += perBatch) {
    for (const path of paths.slice(at, at + perBatch)) look(path);
    await turn();
  }
  return { now, opened, files, others };
}
