import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { lookAt, lookThrough } from "../base/careful-files.ts";
import { RalphError } from "../base/errors.ts";
import { sha256 } from "../base/hash.ts";
import { isObject, parseJson } from "../base/json.ts";

/** Where ralph runs from. Paths are absolute and without links. */
export interface OwnPlace {
  /** The folder of its code, with a list of the hashes that the build made. */
  readonly dist: string;
  /** The folder of the built files of its native package, which that list names too. */
  readonly native: string;
  /** Other files that it loads, or that start it. */
  readonly others: readonly string[];
}

/** The files of the running ralph. */
export interface OwnFiles {
  /**
   * Returns when they are as they were, or were installed again with the same content.
   *
   * @throws RalphError `RALPH_RUN_OWN_FILES`
   */
  check(): void;
}

/** The file in `dist` with the hash of each other one. */
const hashList = "files.json";
/** Bytes. Of a larger file that the build does not know, only the stat data count. */
const maxHashed = 256 * 1024;

/**
 * Notes ralph's own files before an agent runs, which may be able to write them, and from then on loads its code only as it was
 * noted. Looks at stat data; reads what changed.
 */
export function watchOwnFiles({ dist, native, others }: OwnPlace): OwnFiles {
  const hashes = knownHashes(dist, native);
  // From its sources, there is no such list.
  if (hashes.size === 0) return { check: () => undefined };
  const stamps = new Map<string, string>();
  for (const path of [...namesIn(dist).map((name) => join(dist, name)), ...others]) {
    stamps.set(path, stampOf(path));
    if (!hashes.has(path) && (lookThrough(path)?.size ?? maxHashed) < maxHashed)
      hashes.set(path, hashOf(path));
  }
  const isChanged = (path: string, content?: Buffer): boolean => {
    const stamp = stampOf(path);
    if (stamp === stamps.get(path)) return false;
    const known = hashes.get(path);
    if (known === undefined || (content ? sha256(content) : hashOf(path)) !== known) return true;
    stamps.set(path, stamp);
    return false;
  };
  guardLoading({ isOwn: (path) => stamps.has(path), isChanged });
  return {
    check: () => {
      const changed = [...stamps.keys()].filter((path) => isChanged(path));
      if (changed.length > 0) throw changedError(changed);
    },
  };
}

function changedError(paths: readonly string[]): RalphError {
  const [first = ""] = paths;
  const more = paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
  return new RalphError(
    "RALPH_RUN_OWN_FILES",
    `ralph's own files changed while it ran, and it runs no changed ones: ${first}${more}`,
    { hint: "find out what changed them, and install ralph again before you use it" },
  );
}

interface Guarded {
  readonly isOwn: (path: string) => boolean;
  readonly isChanged: (path: string, content: Buffer) => boolean;
}

/** Of the newest watch in this process. */
let guarded: Guarded | undefined;
const { extensions } = createRequire(import.meta.url);
const usual = extensions[".cjs"] ?? extensions[".js"];

/** Makes Node load the files for which `isOwn` only while they are unchanged: agents work before the first use of some. */
function guardLoading(now: Guarded): void {
  guarded = now;
  extensions[".cjs"] = loadGuarded;
}

function loadGuarded(module: NodeModule, path: string): unknown {
  if (!guarded?.isOwn(path)) return usual(module, path);
  // Before the look at its stat data: a later write is not loaded.
  const content = readFileSync(path);
  if (guarded.isChanged(path, content)) throw changedError([path]);
  return (module as unknown as Compiling)._compile(content.toString("utf8"), path);
}

interface Compiling {
  _compile(code: string, path: string): unknown;
}

function knownHashes(dist: string, native: string): Map<string, string> {
  const list = parseJson(contentOf(join(dist, hashList))?.toString("utf8") ?? "");
  if (!isObject(list)) return new Map();
  const pathOf = (name: string): string =>
    name.startsWith("native/") ? join(native, name.slice("native/".length)) : join(dist, name);
  return new Map(Object.entries(list).map(([name, hash]) => [pathOf(name), String(hash)]));
}

function hashOf(path: string): string {
  const content = contentOf(path);
  return content === undefined ? "absent" : sha256(content);
}

function contentOf(path: string): Buffer | undefined {
  try {
    return lookThrough(path)?.isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /\.(?:cjs|json)$/.test(name));
}

/** A link's own, and what it leads to. */
function stampOf(path: string): string {
  const found = lookAt(path);
  if (!found) return "absent";
  const { ino, size, mtimeMs, ctimeMs } = found;
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
