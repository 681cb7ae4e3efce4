import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gitRead, splitNul } from "./git/git.ts";
import { isRalphs } from "./git/paths.ts";
import { type Head, readHead } from "./git/read-head.ts";
import { indexPrint, rememberStaged } from "./git/seen-index.ts";
import type { Workspace } from "./workspace.ts";

export interface Status {
  /** Tracked paths that differ from HEAD, in the index or in the work tree. A rename is its two paths. */
  readonly tracked: readonly string[];
  readonly untracked: readonly string[];
  /** Repositories within the project (`path/`) and names that are not UTF-8: never committed, never removed. */
  readonly leftAlone: readonly string[];
}

/**
 * What differs from HEAD below the project root, without `.ralph/`, `.ralph-context.json` and what git ignores. Looks
 * into no submodule (only at which commit it stands), as that would run git with the submodule's own configuration.
 */
export async function status(ws: Workspace): Promise<Status> {
  const below = ws.prefix === "" ? [] : ["--", ws.prefix];
  // Before git reads it: an index that is written meanwhile is then not taken for the one that was seen.
  const index = indexPrint(ws);
  const { stdout } = await gitRead(ws, [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=dirty",
    ...below,
  ]);
  const tracked: string[] = [];
  const untracked: string[] = [];
  const leftAlone: string[] = [];
  const records = splitNul(stdout);
  if (ws.prefix === "" && index !== undefined) remember(ws, index, records);
  for (const record of records) {
    if (record[0] === "#") continue;
    const isTracked = record[0] !== "?";
    const path = pathOf(record)?.slice(ws.prefix.length);
    if (!path || isRalphs(path)) continue;
    if (path.endsWith("/") || path.includes("\uFFFD")) leftAlone.push(path);
    else if (isTracked) tracked.push(path);
    else untracked.push(path);
  }
  return { tracked, untracked, leftAlone };
}

/** What is staged is told against the commit that git itself read. */
function remember(ws: Workspace, index: string, records: readonly string[]): void {
  const named = "# branch.oid ";
  const head = records.find((record) => record.startsWith(named))?.slice(named.length);
  if (head === undefined) return;
  const isStaged = (record: string): boolean =>
    // `1 XY …`: X is the index against the commit.
    record[0] === "u" || (record[0] === "1" && record[2] !== ".");
  const staged = records.filter(isStaged).map((record) => pathOf(record) ?? "");
  rememberStaged(ws, { index, head, staged });
}

/** How many space-separated fields stand before the path in a record of each kind. */
const fieldsBefore: Readonly<Record<string, number>> = { "?": 1, "1": 8, u: 10 };

function pathOf(record: string): string | undefined {
  let at = 0;
  for (let field = fieldsBefore[record[0] ?? ""] ?? 0; field > 0; field--) at = record.indexOf(" ", at) + 1;
  return at === 0 ? undefined : record.slice(at);
}

/** The commit that HEAD stands at; null before the first one. Usually takes no process. */
export async function head(ws: Workspace): Promise<string | null> {
  return (await readHead(ws)).hash;
}

/** The commit and the branch that HEAD is at. Usually takes no process. */
export async function position(ws: Workspace): Promise<Head> {
  return readHead(ws);
}

/** The short name of the current branch, or null when HEAD is detached. */
export async function currentBranch(ws: Workspace): Promise<string | null> {
  return (await readHead(ws)).ref?.replace("refs/heads/", "") ?? null;
}

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
