import { constants, lstatSync } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { sha256 } from "../../../base/hash.ts";
import type { Citation } from "../learning.ts";

const maxCitations = 5;
/** In longer files cited lines are looked for at their place alone. */
const searchedLines = 5000;
/** Larger files are not cited: reading them again for each prompt would cost too much. */
const maxBytes = 1_000_000;
const mention =
  /(?<![\w/.@-])((?:[\w@][\w@.-]*\/)*[\w@][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9})(?::(\d{1,6}(?:-\d{1,6})?))?/g;

/** How a cited file stands now. */
export type Freshness = "same" | "changed" | "missing";

/**
 * The project's files that `text` names (`src/a.ts`, `src/a.ts:12-20`), as they are now. Nothing outside the project,
 * under `.ralph` or `.git`, or reached by a link is read.
 */
export async function citeFiles(root: string, text: string): Promise<readonly Citation[]> {
  const found = new Map<string, Citation>();
  for (const [, path = "", lines = null] of text.slice(0, 20_000).matchAll(mention)) {
    if (found.size >= maxCitations || found.has(path)) continue;
    const hash = await hashOf(root, path, lines);
    if (hash !== null) found.set(path, { path, lines, hash });
  }
  return [...found.values()];
}

/** Whether what was cited is still there as it was. Cited lines may have moved within their file. */
export async function freshnessOf(root: string, citations: readonly Citation[]): Promise<Freshness> {
  let changed = false;
  for (const { path, lines, hash } of citations) {
    const content = await readInside(root, path);
    if (content === null) return "missing";
    changed ||= content === tooLarge || !stillHolds(content, lines, hash);
  }
  return changed ? "changed" : "same";
}

/** The same citations with the files as they are now; those that are gone are left out. */
export async function rehashCitations(
  root: string,
  citations: readonly Citation[],
): Promise<readonly Citation[]> {
  const anew: Citation[] = [];
  for (const { path, lines } of citations) {
    const hash = await hashOf(root, path, lines);
    if (hash !== null) anew.push({ path, lines, hash });
  }
  return anew;
}

async function hashOf(root: string, path: string, lines: string | null): Promise<string | null> {
  const content = await readInside(root, path);
  if (content === null || content === tooLarge) return null;
  return hashLines(lines === null ? content.split("\n") : linesOf(content, lines));
}

function stillHolds(content: string, lines: string | null, hash: string): boolean {
  const all = content.split("\n");
  if (lines === null) return hashLines(all) === hash;
  const { length } = linesOf(content, lines);
  if (hashLines(linesOf(content, lines)) === hash) return true;
  if (all.length > searchedLines) return false;
  for (let at = 0; length > 0 && at + length <= all.length; at += 1) {
    if (hashLines(all.slice(at, at + length)) === hash) return true;
  }
  return false;
}

function linesOf(content: string, lines: string): readonly string[] {
  const [from = 1, to = from] = lines.split("-").map(Number);
  return content.split("\n").slice(from - 1, Math.min(to, from + 199));
}

function hashLines(lines: readonly string[]): string {
  return sha256(lines.map((line) => line.trimEnd()).join("\n")).slice(0, 16);
}

const tooLarge = Symbol("too large");

/** The text of a regular file of the project; null when there is none, or it is not ours to read. */
async function readInside(root: string, path: string): Promise<string | typeof tooLarge | null> {
  if (/(?:^|\/)(?:\.\.|\.ralph|\.git)(?:\/|$)/.test(path) || path.startsWith("/")) return null;
  const full = join(root, path);
  // Most of what is named like a file is none, and a wait for a thread costs more than all else about a learning.
  if (lstatSync(full, { throwIfNoEntry: false }) === undefined) return null;
  try {
    if (!(await realpath(full)).startsWith(`${await realpath(root)}${sep}`)) return null;
    const file = await open(
      full,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const found = await file.stat();
      if (!found.isFile()) return null;
      return found.size <= maxBytes ? await file.readFile("utf8") : tooLarge;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
