import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { git, gitRead, splitNul } from "../git/git.ts";
import { indexFingerprint } from "../git/seen-index.ts";
import type { Workspace } from "../workspace.ts";
import type { GitConfig } from "./config-files.ts";

/** Paths whose changes git does not look for, relative to the top level. */
export interface IndexFlags {
  /** `git update-index --assume-unchanged`. */
  readonly assumed: readonly string[];
  /** `git update-index --skip-worktree`; none in a sparse checkout, where git itself sets and clears them. */
  readonly skipped: readonly string[];
  /** Paths in conflict, with which git makes no commit; absent in earlier guards. */
  readonly conflicts?: readonly string[];
}

const none: IndexFlags = { assumed: [], skipped: [], conflicts: [] };

const known = new WeakMap<Workspace, { readonly fingerprint: string; readonly flags: IndexFlags }>();

/** Reads the flags from the index file; starts git only for a format that is not read here. Cached until it is written. */
export async function readIndexFlags(ws: Workspace, kind: IndexKind): Promise<IndexFlags> {
  const fingerprint = indexFingerprint(ws);
  if (fingerprint === undefined) return none;
  const cached = known.get(ws);
  if (cached?.fingerprint === fingerprint) return cached.flags;
  const read = parseIndexFlags(contentOf(ws), kind.hashBytes) ?? (await askGit(ws));
  const flags = kind.isSparse ? { ...read, skipped: [] } : read;
  known.set(ws, { fingerprint, flags });
  return flags;
}

/**
 * Makes the flags as they were: an agent that sets one hides its changes from every diff and commit. Returns a sentence for
 * each path, besides those that are no longer in the index. Starts git only when a flag differs.
 */
export async function restoreIndexFlags(
  ws: Workspace,
  before: IndexFlags,
  kind: IndexKind,
): Promise<readonly string[]> {
  const now = await readIndexFlags(ws, kind);
  if (now === before) return [];
  const warnings: string[] = [];
  for (const [field, flag] of [
    ["skipped", "skip-worktree"],
    ["assumed", "assume-unchanged"],
  ] as const) {
    const added = without(now[field], before[field]);
    const removed = without(before[field], now[field]);
    await update(ws, `--no-${flag}`, added);
    await update(ws, `--${flag}`, await stillTracked(ws, removed));
    warnings.push(
      ...named(added, (path) => `${path} was hidden from git (${flag}); that is undone, and it is judged`),
      ...named(removed, (path) => `put back the flag ${flag} of ${path}`),
    );
  }
  await endConflicts(ws, without(now.conflicts ?? [], before.conflicts ?? []), kind);
  return warnings;
}

/** Makes the entries of paths in conflict those of HEAD: the files show what an agent made of them. */
async function endConflicts(
  ws: Workspace,
  paths: readonly string[],
  { hashBytes }: IndexKind,
): Promise<void> {
  if (paths.length === 0) return;
  const wanted = new Set(paths);
  const { stdout } = await gitRead(ws, ["ls-tree", "-r", "-z", "--full-tree", "HEAD"]);
  const entries = splitNul(stdout).flatMap((line) => {
    // `<mode> <type> <object>\t<path>`
    const [mode = "", , object = ""] = line.slice(0, line.indexOf("\t")).split(" ");
    const path = line.slice(line.indexOf("\t") + 1);
    return wanted.has(path) ? [`${mode} ${object}\t${path}\0`] : [];
  });
  const removals = paths.map((path) => `0 ${"0".repeat(hashBytes * 2)}\t${path}\0`);
  await git(ws, ["update-index", "-z", "--index-info"], { stdin: [...removals, ...entries].join("") });
}

/** The maximum number of paths that the warnings name. */
const maxNamed = 10;

function named(paths: readonly string[], text: (path: string) => string): readonly string[] {
  const [more] = paths.length > maxNamed ? [`${paths.length - maxNamed} more files`] : [];
  return [...paths.slice(0, maxNamed), ...(more ? [more] : [])].map(text);
}

function without(paths: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return paths.filter((path) => !known.has(path));
}

async function stillTracked(ws: Workspace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const tracked = new Set(splitNul((await gitRead(ws, ["ls-files", "-z"])).stdout));
  return paths.filter((path) => tracked.has(path));
}

async function update(ws: Workspace, flag: string, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await git(ws, ["update-index", flag, "-z", "--stdin"], {
    stdin: paths.map((path) => `${path}\0`).join(""),
  });
}

async function askGit(ws: Workspace): Promise<IndexFlags> {
  const records = splitNul((await gitRead(ws, ["ls-files", "-v", "-z"])).stdout);
  const of = (tags: RegExp): string[] =>
    records.filter((record) => tags.test(record)).map((record) => record.slice(2));
  return { assumed: of(/^[a-z] /), skipped: of(/^[Ss] /), conflicts: [...new Set(of(/^[Mm] /))] };
}

function contentOf(ws: Workspace): Buffer {
  try {
    const path = join(ws.gitDir, "index");
    // Reading a pipe would block.
    return lstatSync(path).isFile() ? readFileSync(path) : Buffer.alloc(0);
  } catch {
    // Git reports an index that cannot be read.
    return Buffer.alloc(0);
  }
}

/** The facts besides its version that the format of the index depends on. */
export interface IndexKind {
  /** Of an object's name: 20 (SHA-1) or 32 (SHA-256). */
  readonly hashBytes: number;
  readonly isSparse: boolean;
}

/** Returns the kind that git's configuration files make it. */
export function indexKind(configs: ReadonlyMap<string, GitConfig>): IndexKind {
  const values = [...configs.values()].flatMap((config) => config.values);
  const is = (name: string, value: RegExp): boolean =>
    values.some((one) => `${one.section}.${one.key}` === name && value.test(one.value));
  return {
    hashBytes: is("extensions.objectformat", /^sha256$/i) ? 32 : 20,
    isSparse: is("core.sparsecheckout", /^(?:true|yes|on|1)$/i),
  };
}

/** Bits of an entry's flags. */
const assumeValid = 0x8000;
const extended = 0x4000;
/** Not 0: one side of a conflict. */
const stage = 0x3000;
const nameLength = 0x0fff;
/** A bit of the second flags. */
const skipWorktree = 0x4000;
/** Bytes of an entry before the object's name. */
const statBytes = 40;

/**
 * Reads the flags of an index of version 2, 3 or 4 (git's `index-format`). Linear in its size. Returns undefined for another
 * version, a damaged file, and a split index, whose flags are partly in another file.
 */
export function parseIndexFlags(index: Buffer, hashBytes: number): IndexFlags | undefined {
  if (index.length < 12 + hashBytes || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  try {
    const { flags, end } = parseEntries(index, { version, hashBytes });
    return isSplit(index, end, index.length - hashBytes) ? undefined : flags;
  } catch {
    // Cut off in the middle of an entry.
    return undefined;
  }
}

function parseEntries(
  index: Buffer,
  { version, hashBytes }: { readonly version: number; readonly hashBytes: number },
): { readonly flags: IndexFlags; readonly end: number } {
  const assumed: string[] = [];
  const skipped: string[] = [];
  const conflicts = new Set<string>();
  let name: Buffer = Buffer.alloc(0);
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const start = at;
    const flags = index.readUInt16BE(start + statBytes + hashBytes);
    const isExtended = version > 2 && (flags & extended) !== 0;
    const more = isExtended ? index.readUInt16BE(start + statBytes + hashBytes + 2) : 0;
    at = start + statBytes + hashBytes + (isExtended ? 4 : 2);
    let end: number;
    if (version === 4) {
      const prefix = readVarint(index, at);
      end = endOfName(index, prefix.end, nameLength);
      name = Buffer.concat([name.subarray(0, name.length - prefix.value), index.subarray(prefix.end, end)]);
      at = end + 1;
    } else {
      end = endOfName(index, at, flags & nameLength);
      name = index.subarray(at, end);
      // Padded with 1 to 8 NUL bytes.
      at = start + ((end - start + 8) & ~7);
    }
    if ((flags & assumeValid) !== 0) assumed.push(name.toString());
    if ((more & skipWorktree) !== 0) skipped.push(name.toString());
    if ((flags & stage) !== 0) conflicts.add(name.toString());
  }
  const flags = { assumed: whole(assumed), skipped: whole(skipped), conflicts: whole([...conflicts]) };
  return { flags, end: at };
}

/** Removes names that are not UTF-8: git would not find them again. */
function whole(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !path.includes("\uFFFD"));
}

function endOfName(index: Buffer, at: number, length: number): number {
  const end = length < nameLength ? at + length : index.indexOf(0, at);
  if (end < at || end >= index.length) throw new RangeError("the index ends within a name");
  return end;
}

/** Reads a number as git's `decode_varint` does. */
function readVarint(index: Buffer, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let byte = index.readUInt8(at++);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = index.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 127);
    if (value > index.length) throw new RangeError("a prefix is longer than the index");
  }
  return { value, end: at };
}

/** Returns true if the extensions between `from` and `to` refer to a shared index. */
function isSplit(index: Buffer, from: number, to: number): boolean {
  for (let at = from; at + 8 <= to; ) {
    if (index.toString("latin1", at, at + 4) === "link") return true;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return false;
}
