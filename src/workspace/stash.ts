import { lstatSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import { git } from "./git/git.ts";
import { pathKind } from "./git/paths.ts";
import type { Workspace } from "./workspace.ts";

/** Some hundred thousand entries. */
const maxBytes = 16 * 1024 * 1024;

/** One entry of the stash, which all work trees of a repository share. */
export interface Stash {
  readonly commit: string;
  readonly message: string;
}

/** Returns the stash, oldest first, from its log without a process. */
export function stashesOf(ws: Workspace): readonly Stash[] {
  return logOf(ws).flatMap((line) => {
    const entry = /^[0-9a-f]+ ([0-9a-f]{40,64}) [^\t]*\t(.*)$/.exec(line);
    return entry ? [{ commit: entry[1] ?? "", message: entry[2] ?? "" }] : [];
  });
}

interface RestoredStashes {
  readonly added: readonly Stash[];
  readonly restored: readonly Stash[];
  /** Where the stash's log is now, which was too large to be read; null: it was not. */
  readonly movedLog: string | null;
}

/**
 * Restores missing entries, on top of the others if any remain: a stash is someone's unsaved work. New entries stay: they
 * can belong to a person in another work tree.
 */
export async function restoreStashes(ws: Workspace, before: readonly Stash[]): Promise<RestoredStashes> {
  const movedLog = moveLarge(ws);
  const now = stashesOf(ws);
  // Git notes no entry for a commit that the ref has already.
  if (now.length === 0 && before.length > 0)
    await git(ws, ["update-ref", "-d", "refs/stash"], { accept: "any" });
  const restored: Stash[] = [];
  for (const stash of without(before, now)) {
    const { code } = await git(ws, ["stash", "store", "-q", "-m", stash.message, stash.commit], {
      accept: "any",
    });
    if (code === 0) restored.push(stash);
  }
  return { added: without(now, before), restored, movedLog };
}

function without(list: readonly Stash[], others: readonly Stash[]): readonly Stash[] {
  const known = new Set(others.map(({ commit }) => commit));
  return list.filter(({ commit }) => !known.has(commit));
}

/** Git would read all of a log that an agent made very large. */
function moveLarge(ws: Workspace): string | null {
  const found = pathKind(logFile(ws));
  if (!found?.isFile() || found.size <= maxBytes) return null;
  const to = "stash-log.too-large";
  renameSync(logFile(ws), join(ws.commonDir, to));
  return `.git/${to}`;
}

const logFile = ({ commonDir }: Workspace): string => join(commonDir, "logs", "refs", "stash");

function logOf(ws: Workspace): string[] {
  try {
    const path = logFile(ws);
    const found = lstatSync(path);
    // Reading a pipe would block.
    return found.isFile() && found.size <= maxBytes ? readFileSync(path, "utf8").split("\n") : [];
  } catch (error) {
    // Unreadable, or a folder: the repository is broken, and git reports the error itself.
    if (systemCode(error) !== undefined) return [];
    throw error;
  }
}
