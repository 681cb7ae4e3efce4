import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { carefulRead, lookAt } from "../../../base/careful-files.ts";
import { sha256 } from "../../../base/hash.ts";
import type { Citation, Learning } from "./learning.ts";

const maxCitations = 5;
/** In longer files, in lines, cited lines that moved are not searched for. */
const maxSearchedLines = 5000;
/** Larger files are not cited: each prompt reads the cited files again. */
const maxBytes = 1_000_000;
const mention =
  /(?<![\w/.@-])((?:[\w@][\w@.-]*\/)*[\w@][\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9})(?::(\d{1,6}(?:-\d{1,6})?))?/g;

/** The state of cited files, compared with the time of citation. */
export type Freshness = "same" | "changed" | "missing";

/**
 * Returns citations of the project's files that `text` names (`src/a.ts`, `src/a.ts:12-20`), with their current hashes.
 * Reads nothing outside the project, under `.ralph` or `.git`, or through a link.
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

/** Compares citations with the files. Cited lines may have moved within their file. */
export async function freshnessOf(root: string, citations: readonly Citation[]): Promise<Freshness> {
  let changed = false;
  for (const { path, lines, hash } of citations) {
    const content = await readInside(root, path);
    if (content === null) return "missing";
    changed ||= content === tooLarge || !stillHolds(content, lines, hash);
  }
  return changed ? "changed" : "same";
}

/** Returns a learning as its files are now: `stale` when one changed, moved or went since maintenance looked. */
export async function asOfNow(root: string, learning: Learning): Promise<Learning> {
  if (learning.status !== "active" || (await freshnessOf(root, learning.citations)) === "same")
    return learning;
  return { ...learning, status: "stale" };
}

/** Returns the citations with current hashes, without those of missing files. */
export async function rehashCitations(
  root: string,
  citations: readonly Citation[],
): Promise<readonly Citation[]> {
  const current: Citation[] = [];
  for (const { path, lines } of citations) {
    const hash = await hashOf(root, path, lines);
    if (hash !== null) current.push({ path, lines, hash });
  }
  return current;
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
  if (all.length > maxSearchedLines) return false;
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

/** Reads a regular file of the project; null when there is none, or when it must not be read. */
async function readInside(root: string, path: string): Promise<string | typeof tooLarge | null> {
  if (/(?:^|\/)(?:\.\.|\.ralph|\.git)(?:\/|$)/.test(path) || path.startsWith("/")) return null;
  const full = join(root, path);
  // Most names that look like files do not exist. A check in the thread pool would take longer than the rest of a capture.
  if (lookAt(full) === undefined) return null;
  try {
    if (!(await realpath(full)).startsWith(`${await realpath(root)}${sep}`)) return null;
    const file = await open(full, carefulRead);
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
