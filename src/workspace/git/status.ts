import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gitRead, splitNul } from "./git.ts";
import { isRalphs } from "./paths.ts";
import { fromTop, inScope } from "./project-paths.ts";
import { readHead } from "./read-head.ts";
import { indexFingerprint, rememberStaged } from "./seen-index.ts";
import type { Workspace } from "./workspace.ts";

export interface Status {
  /** Tracked paths that differ from HEAD, in the index or in the work tree. A rename is its two paths. */
  readonly tracked: readonly string[];
  readonly untracked: readonly string[];
  /** Nested repositories (`path/`) and names that are not UTF-8: never committed, never removed. */
  readonly leftAlone: readonly string[];
  /** The ignored paths: files, and folders (`path/`) as a whole; "" for the project itself. Absent: nothing, or not asked for. */
  readonly ignored?: readonly string[];
  /** Git could not look into folders or files. */
  readonly isPartial: boolean;
}

/**
 * Returns the paths below the project root that differ from HEAD, without `.ralph/` and `.ralph-context.json`. Of a submodule,
 * checks only its commit: looking into it would run git with the submodule's configuration.
 */
export async function status(ws: Workspace, options: { readonly ignored?: boolean } = {}): Promise<Status> {
  // Taken before git reads the index, so that a concurrent write is not mistaken for the index that was read.
  const index = indexFingerprint(ws);
  const { stdout, stderr } = await gitRead(ws, [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--untracked-files=all",
    // Git finds ignored paths anyway; it lists a folder that is ignored as a whole without looking into it.
    ...(options.ignored ? ["--ignored=matching"] : []),
    "--no-renames",
    "--ignore-submodules=dirty",
    ...inScope(ws),
  ]);
  const records = splitNul(stdout);
  if (ws.scope === "" && index !== undefined) remember(ws, index, records);
  return { ...sortRecords(ws, records), isPartial: /permission denied/i.test(stderr) };
}

function sortRecords(ws: Workspace, records: readonly string[]): Omit<Status, "isPartial"> {
  const tracked: string[] = [];
  const untracked: string[] = [];
  const leftAlone: string[] = [];
  const ignored: string[] = [];
  for (const record of records) {
    const path = ownPath(ws, record);
    if (path === undefined) continue;
    if (record[0] === "!") ignored.push(path);
    else if (path.endsWith("/") || path.includes("\uFFFD")) leftAlone.push(path);
    else if (record[0] === "?") untracked.push(path);
    else tracked.push(path);
  }
  return { tracked, untracked, leftAlone, ...(ignored.length > 0 ? { ignored } : {}) };
}

/** Returns the record's path relative to the project; undefined for a header, and for what is ralph's or above the project. */
function ownPath(ws: Workspace, record: string): string | undefined {
  const full = record[0] === "#" ? undefined : pathOf(record);
  const path = full === undefined ? undefined : fromTop(ws, full);
  const isOwn = path !== undefined && (path !== "" || record[0] === "!") && !isRalphs(path, ws);
  return isOwn ? path : undefined;
}

/** Milliseconds for which a status that was read ahead counts as current. */
const maxAheadMs = 100;
const ahead = new WeakMap<Workspace, { readonly found: Promise<Status | undefined>; readonly at: number }>();

/** Starts reading the status, with ignored paths, while the caller does other work, for a `statusAhead` that follows at once. */
export function prefetchStatus(ws: Workspace): void {
  // An error is reported by the read that the caller waits for.
  const found = status(ws, { ignored: true }).catch(() => undefined);
  ahead.set(ws, { found, at: performance.now() });
}

/** Drops what `prefetchStatus` began to read: the tree or its index changed since. */
export function dropStatusAhead(ws: Workspace): void {
  ahead.delete(ws);
}

/** Returns the status, with ignored paths, that `prefetchStatus` began to read just before, otherwise a new one. */
export async function statusAhead(ws: Workspace): Promise<Status> {
  const known = ahead.get(ws);
  ahead.delete(ws);
  const isCurrent = known !== undefined && performance.now() - known.at < maxAheadMs;
  return (isCurrent ? await known.found : undefined) ?? (await status(ws, { ignored: true }));
}

/** Caches the staged paths with the commit that git compared them to. */
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

/** The number of space-separated fields before the path, by kind of record. */
const fieldsBefore: Readonly<Record<string, number>> = { "?": 1, "!": 1, "1": 8, u: 10 };

function pathOf(record: string): string | undefined {
  let at = 0;
  for (let field = fieldsBefore[record[0] ?? ""] ?? 0; field > 0; field--) at = record.indexOf(" ", at) + 1;
  return at === 0 ? undefined : record.slice(at);
}

/** Returns the commit of HEAD; null before the first one. Usually starts no process. */
export async function head(ws: Workspace): Promise<string | null> {
  return (await readHead(ws)).hash;
}

/** Returns the short name of the current branch; null when HEAD is detached. */
export async function currentBranch(ws: Workspace): Promise<string | null> {
  return (await readHead(ws)).ref?.replace("refs/heads/", "") ?? null;
}

/** The reason, in git's log of HEAD, of a move that takes a person's files out of an agent's commits. */
export const takeOutReason = "ralph: took a person's files out of an agent's commits";

interface HeadLog {
  /** The time of the last move of HEAD according to the log, in milliseconds with the precision of a second. */
  readonly movedMs: number;
  /** The time of the last write of the log, in nanoseconds. */
  readonly changedNs: bigint;
  /** The last move took a person's files out of commits. */
  readonly isTakeOut: boolean;
}

/** Returns the last entry of git's log of HEAD; undefined if git keeps none. */
export async function headLog(ws: Workspace): Promise<HeadLog | undefined> {
  const path = join(ws.gitDir, "logs", "HEAD");
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  // Reading a pipe would block.
  const log = stats?.isFile() ? await readFile(path, "utf8").catch(() => "") : "";
  // `<from> <to> <who> <seconds> <zone>\t<what>`; a stash leaves HEAD where it is.
  const moves = log.split("\n").flatMap((line) => {
    const move = /^([0-9a-f]+) ([0-9a-f]+) [^\t]* (\d+) [-+]\d+\t(.*)$/.exec(line);
    const [, from, to, seconds, what = ""] = move ?? [];
    return move && (from !== to || what.startsWith("checkout:"))
      ? [{ ms: Number(seconds) * 1000, what }]
      : [];
  });
  const last = moves.at(-1);
  if (!last || !stats) return undefined;
  return { movedMs: last.ms, changedNs: stats.ctimeNs, isTakeOut: last.what === takeOutReason };
}
