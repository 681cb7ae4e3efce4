import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";
import { git } from "./git/git.ts";
import type { Workspace } from "./workspace.ts";

/** One entry of the stash, which all work trees of a repository share. */
export interface Stash {
  readonly commit: string;
  readonly message: string;
}

/** The stash, oldest first, read from its log: takes no process. */
export function stashesOf(ws: Workspace): readonly Stash[] {
  return logOf(ws).flatMap((line) => {
    const entry = /^[0-9a-f]+ ([0-9a-f]{40,64}) [^\t]*\t(.*)$/.exec(line);
    return entry ? [{ commit: entry[1] ?? "", message: entry[2] ?? "" }] : [];
  });
}

/**
 * Puts entries that are gone back, on top of the others when not all are gone: a stash is someone's unsaved work. What
 * is new stays: it may be a person's, of another work tree.
 */
export async function restoreStashes(
  ws: Workspace,
  before: readonly Stash[],
): Promise<{ readonly added: readonly Stash[]; readonly putBack: readonly Stash[] }> {
  const now = stashesOf(ws);
  const has = (list: readonly Stash[], { commit }: Stash): boolean =>
    list.some((one) => one.commit === commit);
  const putBack: Stash[] = [];
  for (const stash of before.filter((one) => !has(now, one))) {
    const { code } = await git(ws, ["stash", "store", "-q", "-m", stash.message, stash.commit], {
      accept: "any",
    });
    if (code === 0) putBack.push(stash);
  }
  return { added: now.filter((one) => !has(before, one)), putBack };
}

function logOf(ws: Workspace): string[] {
  try {
    return readFileSync(join(ws.commonDir, "logs", "refs", "stash"), "utf8").split("\n");
  } catch (error) {
    // Unreadable or a folder is a broken repository, of which git itself will say why.
    if (systemCode(error) !== undefined) return [];
    throw error;
  }
}
