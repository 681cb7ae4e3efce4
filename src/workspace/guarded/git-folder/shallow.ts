import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { git } from "../../git/git.ts";
import type { Workspace } from "../../workspace.ts";
import { asideOf, copyAside, moveAside } from "../keep-copies.ts";
import { type FileSnapshot, isSameSnapshot, isUnchanged, restoreFile, snapshotFile } from "../remembered.ts";
import type { Restored } from "../restore/restore-entries.ts";

/** Characters. The list of a shallow clone has some hundred lines. */
const maxText = 1024 * 1024;

/** The changed lists that stay, by what they were. */
const accepted = new WeakMap<FileSnapshot, FileSnapshot>();

/** Takes a snapshot of the list of commits whose parents git does not look for. */
export function shallowFile(ws: Workspace): FileSnapshot {
  return snapshotFile(join(ws.commonDir, "shallow"));
}

/**
 * Puts `.git/shallow` back as it was: git refuses to work with a line that is no hash, and hides the history below a commit that it
 * names, which `git gc` then deletes. Lines that `git fetch --depth` wrote stay, and those that it removed: the ones that
 * differ count if, and only if, a parent of the commit is missing. So an agent may fetch in a shallow clone, and deepen it. Must
 * run after git's configuration was restored. Returns what was put back. Starts git only if the file differs.
 */
export async function restoreShallow(
  ws: Workspace,
  was: FileSnapshot,
  keepIn: string,
): Promise<readonly Restored[]> {
  const path = join(ws.commonDir, "shallow");
  if (was.kind === "other" || isUnchanged(path, was)) return [];
  const now = snapshotFile(path);
  if (isSameSnapshot(now, accepted.get(was) ?? null)) return [];
  const aside = asideOf(ws, path, keepIn);
  const copy = now.kind === "folder" ? moveAside(path, aside) : copyAside(path, aside);
  // Before git runs, which could not read it.
  restoreFile(path, was, aside);
  const [before, after] = [linesOf(was), linesOf(now)];
  const lines = await boundary(ws, before, after);
  const isAccepted = now.kind !== "folder" && isEqual(lines, after);
  const target = isAccepted ? now : isEqual(lines, before) ? was : withLines(lines);
  restoreFile(path, target, aside);
  if (target !== was) accepted.set(was, target);
  if (!isAccepted) return [{ path, copy }];
  if (copy !== undefined) rmSync(copy, { force: true });
  return [];
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((line) => other.has(line));
}

function withLines(lines: ReadonlySet<string>): FileSnapshot {
  if (lines.size === 0) return { kind: "absent" };
  const text = [...lines].map((line) => `${line}\n`).join("");
  return { kind: "file", base64: Buffer.from(text, "latin1").toString("base64"), mode: 0o644 };
}

function linesOf(file: FileSnapshot): ReadonlySet<string> {
  if (file.kind !== "file" || file.base64.length > maxText) return new Set();
  const text = Buffer.from(file.base64, "base64").toString("latin1");
  // Git refuses an empty line.
  return new Set(text === "" ? [] : text.replace(/\n$/, "").split("\n"));
}

/** Returns the lines of both, and those of one of them that name a commit with a missing parent. */
async function boundary(
  ws: Workspace,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const all = [...new Set([...before, ...after])];
  const isKept = (line: string): boolean => before.has(line) && after.has(line);
  const differing = all.filter((line) => !isKept(line) && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(line));
  const parents = await parentsOf(ws, differing);
  const missing = await missingOf(ws, [...new Set([...parents.values()].flat())]);
  const isCut = (line: string): boolean => parents.get(line)?.some((parent) => missing.has(parent)) === true;
  return new Set(all.filter((line) => isKept(line) || isCut(line)));
}

/** Returns the parents of the commits that are there. */
async function parentsOf(
  ws: Workspace,
  commits: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (commits.length === 0) return new Map();
  // A commit's message could contain what looks like the next answer.
  const mark = randomBytes(16).toString("hex");
  const args = ["cat-file", `--batch=${mark} %(objectname) %(objecttype)`];
  const { stdout } = await git(ws, args, { stdin: `${commits.join("\n")}\n` });
  return new Map(
    stdout.split(`${mark} `).flatMap((answer): [string, readonly string[]][] => {
      const [, name, head = ""] = /^([0-9a-f]+) commit\n((?:[^\n]+\n)*)/.exec(answer) ?? [];
      const found = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = ""]) => parent);
      return name === undefined ? [] : [[name, found]];
    }),
  );
}

async function missingOf(ws: Workspace, commits: readonly string[]): Promise<ReadonlySet<string>> {
  if (commits.length === 0) return new Set();
  const { stdout } = await git(ws, ["cat-file", "--batch-check"], { stdin: `${commits.join("\n")}\n` });
  return new Set([...stdout.matchAll(/^([0-9a-f]+) missing$/gm)].map(([, name = ""]) => name));
}
