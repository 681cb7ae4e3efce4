import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { lookThrough } from "../../base/careful-files.ts";
import { isWithin, realPath } from "../git/paths.ts";
import type { Workspace } from "../workspace.ts";

/** Bytes. What larger files call is not searched: they are programs of their own. */
const maxBytes = 256 * 1024;
/** Limits of the search, per script and in total. */
const maxWords = 400;
const maxFiles = 100;
const maxFolders = 5;

/**
 * Returns the files of the project and of the user's home that scripts name, and what those name in turn: absolute, from
 * the top of the work tree, from the script's own folder, from one that it changes to, or from the home; with the files that
 * links among them lead to. A name that a script composes is not found.
 */
export function namedFiles(
  ws: Workspace,
  scripts: readonly { readonly path: string; readonly text: string }[],
): string[] {
  const found = new Set<string>();
  const open = [...scripts];
  for (let script = open.shift(); script !== undefined && found.size < maxFiles; script = open.shift()) {
    for (const path of filesIn(ws, script)) {
      if (found.has(path)) continue;
      found.add(path);
      open.push({ path, text: scriptText(path) });
    }
  }
  return [...found];
}

function filesIn(ws: Workspace, { path, text }: { readonly path: string; readonly text: string }): string[] {
  const home = ws.env["HOME"] ?? "";
  const words = wordsOf(text);
  const places = [...placesOf(ws, path, words), ...(home === "" ? [] : [home])];
  const isOurs = (file: string): boolean =>
    (isWithin(ws.topLevel, file) && !isWithin(ws.commonDir, file)) || (home !== "" && isWithin(home, file));
  const candidates = pathsAmong(words).flatMap((word) => [
    ...(word.startsWith("/") ? [word] : []),
    ...waysOf(word).flatMap((way) => places.map((place) => resolve(place, way))),
  ]);
  const files = [...new Set(candidates)].filter((file) => isOurs(file) && isFile(file));
  return [...new Set(files.flatMap((file) => [file, realPath(file)]))];
}

function wordsOf(text: string): string[] {
  return text.slice(0, maxBytes).split(/[\s"'`;|&()<>={},\\$:]+/);
}

function placesOf(ws: Workspace, path: string, words: readonly string[]): readonly string[] {
  const into = after(words, /^cd$/).map((word) => resolve(ws.topLevel, word));
  return [ws.topLevel, dirname(path), dirname(dirname(path)), ...into.slice(0, maxFolders)];
}

/** Returns the words that may be paths. */
function pathsAmong(words: readonly string[]): string[] {
  return [...new Set([...words.filter(isPath), ...after(words, interpreters)])].slice(0, maxWords);
}

/** Returns relative paths: without a variable (`$PWD/x.sh`), `~` or `/`. */
function waysOf(word: string): readonly string[] {
  const way = word.replace(/^(?:HOME)?\/+|^~\/+/, "");
  return [way, ...(/^[A-Z_][A-Z_\d]*\/+(?=.)/.test(way) ? [way.replace(/^\w+\/+/, "")] : [])];
}

function isPath(word: string): boolean {
  return word.length < 300 && /\/[\w.]|\.[a-z]{1,5}$/i.test(word);
}

const interpreters = /^(?:.*\/)?(?:\.|source|(?:ba|da|z|k)?sh|node|bun|deno|python[\d.]*|perl|ruby|php)$/;

/** Returns the first two words, besides options, after each that matches: an option may have a value. */
function after(words: readonly string[], pattern: RegExp, most = 2): string[] {
  return words.flatMap((word, at) => {
    if (!pattern.test(word)) return [];
    const next = words.slice(at + 1, at + 6).filter((one) => one !== "" && !one.startsWith("-"));
    return next.slice(0, most).filter((one) => one.length < 300);
  });
}

function isFile(path: string, most = Number.POSITIVE_INFINITY): boolean {
  try {
    const stats = lookThrough(path);
    return stats?.isFile() === true && stats.size <= most;
  } catch {
    // Below a file, or in a folder that is closed to us.
    return false;
  }
}

/** Returns true for a file that is too large to be searched, and to be kept. */
export function isLarge(path: string): boolean {
  return isFile(path) && !isFile(path, maxBytes);
}

/** Returns "" for a file that cannot be read or is not text. */
function scriptText(path: string): string {
  try {
    const text = isFile(path, maxBytes) ? readFileSync(path, "utf8") : "";
    return text.includes("\0") ? "" : text;
  } catch {
    return "";
  }
}
