import { readFileSync } from "node:fs";
import { join } from "node:path";
import { git, gitPaths, gitRead, splitNul } from "../git/git.ts";
import { resetEntries } from "../git/index-entries.ts";
import { readHead } from "../git/read-head.ts";
import { indexFingerprint } from "../git/seen-index.ts";
import type { Workspace } from "../git/workspace.ts";

/** Paths relative to the top level. */
export interface IndexFlags {
  /** Git does not look for changes of them: `git update-index --assume-unchanged`. */
  readonly assumed: readonly string[];
  /** `git update-index --skip-worktree`; none in a sparse checkout, where git itself sets and clears them. */
  readonly skipped: readonly string[];
  /** In conflict: with them git makes no commit. */
  readonly conflicts: readonly string[];
}

const none: IndexFlags = { assumed: [], skipped: [], conflicts: [] };

const known = new WeakMap<Workspace, { readonly fingerprint: string; readonly flags: IndexFlags }>();

/** Reads the flags; starts git only where an entry has one. Cached until the index is written. */
export async function readIndexFlags(ws: Workspace): Promise<IndexFlags> {
  const fingerprint = indexFingerprint(ws);
  if (fingerprint === undefined) return none;
  const cached = known.get(ws);
  if (cached?.fingerprint === fingerprint) return cached.flags;
  const { hash } = await readHead(ws);
  const index = readFileSync(join(ws.gitDir, "index"));
  const flags = hasNoFlags(index, (hash ?? "").length / 2) ? none : await askGit(ws);
  known.set(ws, { fingerprint, flags });
  return flags;
}

async function askGit(ws: Workspace): Promise<IndexFlags> {
  const asked = ["config", "--type=bool", "--get", "core.sparseCheckout"];
  const [listed, sparse] = await Promise.all([
    gitRead(ws, ["ls-files", "-v", "-z"]),
    gitRead(ws, asked, { accept: "any" }),
  ]);
  const records = splitNul(listed.stdout);
  const of = (tags: RegExp): string[] =>
    records.filter((record) => tags.test(record)).map((record) => record.slice(2));
  const skipped = sparse.stdout.trim() === "true" ? [] : of(/^[Ss] /);
  return { assumed: of(/^[a-z] /), skipped, conflicts: [...new Set(of(/^[Mm] /))] };
}

/**
 * Makes the flags as they were: one that an agent sets hides its changes from every diff and commit. Entries that are in conflict
 * since become those of HEAD: the files show what the agent made of them. Returns a sentence for each path with a flag.
 */
export async function restoreIndexFlags(ws: Workspace, before: IndexFlags): Promise<readonly string[]> {
  const now = await readIndexFlags(ws);
  if (now === before) return [];
  const warnings: string[] = [];
  for (const [field, flag] of [
    ["skipped", "skip-worktree"],
    ["assumed", "assume-unchanged"],
  ] as const) {
    const added = without(now[field], before[field]);
    const removed = await stillTracked(ws, without(before[field], now[field]));
    await update(ws, `--no-${flag}`, added);
    await update(ws, `--${flag}`, removed);
    for (const path of added)
      warnings.push(`${path} was hidden from git (${flag}); that is undone, and it is judged`);
    for (const path of removed) warnings.push(`put back the flag ${flag} of ${path}`);
  }
  const conflicts = without(now.conflicts, before.conflicts);
  if (conflicts.length > 0) await resetEntries(ws, conflicts, "HEAD");
  return warnings;
}

function without(paths: readonly string[], others: readonly string[]): readonly string[] {
  const former = new Set(others);
  return paths.filter((path) => !former.has(path));
}

async function stillTracked(ws: Workspace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const tracked = new Set(await gitPaths(ws, ["ls-files", "-z"]));
  return paths.filter((path) => tracked.has(path));
}

async function update(ws: Workspace, flag: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const stdin = paths.map((path) => `${path}\0`).join("");
  await git(ws, ["update-index", flag, "-z", "--stdin"], { stdin });
}

/** Bits of an entry's flags: assume-unchanged, more flags follow (skip-worktree among them), one side of a conflict. */
const anyFlag = 0xf000;
const nameLength = 0x0fff;
/** Bytes of an entry before the object's name. */
const statBytes = 40;

/**
 * Returns true if no entry of an index of version 2 or 3 (git's `index-format`) has a flag; false for one that has, and for what is not
 * read here: other versions, very long names, a split index.
 */
export function hasNoFlags(index: Buffer, hashBytes: number): boolean {
  if (index.length < 12 || hashBytes === 0 || index.toString("latin1", 0, 4) !== "DIRC") return false;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return false;
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + statBytes + hashBytes;
    if (flagsAt + 2 > index.length) return false;
    const flags = index.readUInt16BE(flagsAt);
    const length = flags & nameLength;
    if ((flags & anyFlag) !== 0 || length === nameLength) return false;
    // Padded with 1 to 8 NUL bytes.
    at += (statBytes + hashBytes + 2 + length + 8) & ~7;
  }
  return index.toString("latin1", at, at + 4) !== "link";
}
