import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import { git } from "./git/git.ts";
import type { Workspace } from "./workspace.ts";

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

/**
 * Restores missing entries, on top of the others if any remain: a stash is someone's unsaved work. New entries stay: they
 * can belong to a person in another work tree.
 */
export async function restoreStashes(
  ws: Workspace,
  before: readonly Stash[],
): Promise<{ readonly added: readonly Stash[]; readonly restored: readonly Stash[] }> {
  const now = stashesOf(ws);
  const has = (list: readonly Stash[], { commit }: Stash): boolean =>
    list.some((one) => one.commit === commit);
  const restored: Stash[] = [];
  for (const stash of before.filter((one) => !has(now, one))) {
    const { code } = await git(ws, ["stash", "store", "-q", "-m", stash.message, stash.commit], {
      accept: "any",
    });
    if (code === 0) restored.push(stash);
  }
  return { added: now.filter((one) => !has(before, one)), restored };
}

function logOf(ws: Workspace): string[] {
  try {
    const path = join(ws.commonDir, "logs", "refs", "stash");
    // Reading a pipe would block.
    return lstatSync(path).isFile() ? readFileSync(path, "utf8").split("\n") : [];
  } catch (error) {
    // Unreadable, or a folder: the repository is broken, and git reports the error itself.
    if (systemCode(error) !== undefined) return [];
    throw error;
  }
}
