import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "./workspace.ts";

/**
 * When HEAD was last moved, to a commit or to a branch, in milliseconds, to the second. Undefined where git keeps no log
 * of HEAD.
 */
export async function lastMovedAt(ws: Workspace): Promise<number | undefined> {
  const log = await readFile(join(ws.gitDir, "logs", "HEAD"), "utf8").catch(() => "");
  // `<from> <to> <who> <seconds> <zone>\t<what>`; a stash leaves HEAD where it is.
  const moves = log.split("\n").flatMap((line) => {
    const move = /^([0-9a-f]+) ([0-9a-f]+) [^\t]* (\d+) [-+]\d+\t(.*)$/.exec(line);
    const [, from, to, seconds, what = ""] = move ?? [];
    return move && (from !== to || what.startsWith("checkout:")) ? [Number(seconds) * 1000] : [];
  });
  return moves.at(-1);
}
