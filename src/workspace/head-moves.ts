import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "./workspace.ts";

interface HeadLog {
  /** When HEAD was last moved, to a commit or to a branch, by the log's own words: to the second, in milliseconds. */
  readonly movedMs: number;
  /** When the log was last written, in nanoseconds. */
  readonly changedNs: bigint;
}

/** What git's log of HEAD says; undefined where git keeps none. */
export async function headLog(ws: Workspace): Promise<HeadLog | undefined> {
  const path = join(ws.gitDir, "logs", "HEAD");
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  const log = await readFile(path, "utf8").catch(() => "");
  // `<from> <to> <who> <seconds> <zone>\t<what>`; a stash leaves HEAD where it is.
  const moves = log.split("\n").flatMap((line) => {
    const move = /^([0-9a-f]+) ([0-9a-f]+) [^\t]* (\d+) [-+]\d+\t(.*)$/.exec(line);
    const [, from, to, seconds, what = ""] = move ?? [];
    return move && (from !== to || what.startsWith("checkout:")) ? [Number(seconds) * 1000] : [];
  });
  const movedMs = moves.at(-1);
  return movedMs === undefined || !stats ? undefined : { movedMs, changedNs: stats.ctimeNs };
}
