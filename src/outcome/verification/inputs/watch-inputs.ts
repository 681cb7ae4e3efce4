import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { lookAt, lookThrough } from "../../../base/careful-files.ts";
import { sha256 } from "../../../base/hash.ts";
import type { JsonObject } from "../../../base/json.ts";
import { findInputs, type Inputs } from "./find-inputs.ts";
import { whys } from "./known-inputs.ts";
import { type InputChange, type OpenInput, parseOpenInput } from "./open-input.ts";
import type { Place } from "./search.ts";
import type { SearchedFolder } from "./searched-folders.ts";

/** The files that verification reads, compared with what they were before the agents. One for each run. */
export interface InputWatch {
  /** Notes the files that these commands read, before an agent runs. What changed since the last iteration is a person's. */
  begin(commands: readonly string[]): void;
  /** Returns the changes by agents since `begin`, or by earlier ones that were not accepted. */
  changes(): readonly InputChange[];
  /** Returns what changed, or was put back, since the last call of a method: what a command of verification did. */
  recent(): readonly InputChange[];
  /** Accepts the changes, or those for which `isAccepted` returns true: they are not returned again. */
  accept(isAccepted?: (change: InputChange) => boolean): void;
  /** Returns the changes that were not accepted, as of the last call of a method, whichever commands read the files. */
  open(): readonly OpenInput[];
  /** Notes the changes of an earlier run whose files are still as it left them, and returns these. Call it before `begin`. */
  resume(open: readonly JsonObject[]): readonly OpenInput[];
  /** Returns the project's files that the commands execute, relative to its root, as they were before the agent. */
  scripts(): readonly string[];
}

/** Larger files are compared by their stat data alone. */
const maxHashedBytes = 1024 * 1024;
const absent = "absent";

interface Seen {
  /** Content before the agents. */
  reference: string;
  stamp: string;
  content: string;
  /** Why it matters, as a clause. */
  readonly why: string;
}

interface Watched extends Inputs {
  readonly key: string;
  readonly files: Map<string, string>;
  /** The stat data of each folder, and the names in it that matter. */
  readonly listings: Map<SearchedFolder, { stamp: string; names: ReadonlyMap<string, string> }>;
}

/** Starts to watch what verification reads. Compares stat data; reads only small files whose stat data changed. */
export function watchInputs(place: Place): InputWatch {
  const seen = new Map<string, Seen>();
  let watched: Watched | undefined;
  return {
    begin: (commands) => {
      const key = JSON.stringify(commands);
      if (watched?.key === key && isUnchanged(watched, seen)) return;
      const { files, folders } = findInputs(commands, place);
      const stampNow = folderStamps();
      const listings = folders.map(
        (folder) => [folder, { stamp: stampNow(folder), names: folder.present() }] as const,
      );
      watched = { key, files: new Map(files), folders, listings: new Map(listings) };
      for (const [path, why] of files) noteBefore(seen, path, why);
      noteResumed(watched, seen);
    },
    changes: () => {
      if (!watched) return [];
      look(watched, seen);
      return changesFrom(({ reference }) => reference, { watched, seen, place });
    },
    recent: () => {
      if (!watched) return [];
      const before = look(watched, seen);
      return changesFrom((one) => before.get(one) ?? one.content, { watched, seen, place });
    },
    accept: (isAccepted) => {
      for (const [path, one] of seen) {
        const change = isAccepted && watched && changeOf(path, one.reference, { watched, seen, place });
        if (!isAccepted || (change && isAccepted(change))) one.reference = one.content;
      }
    },
    open: () =>
      [...seen].flatMap(([path, { reference, content, why }]) => {
        if (reference === content) return [];
        return [{ ...nameOf(path, place), how: howOf(reference, content), why, path, reference, content }];
      }),
    resume: (open) =>
      open.flatMap(parseOpenInput).filter(({ path, reference, content, why }) => {
        const stamp = stampOf(path);
        if (content === reference || contentOf(path, stamp) !== content) return false;
        seen.set(path, { reference, stamp, content, why });
        return true;
      }),
    scripts: () =>
      [...(watched?.files ?? [])].flatMap(([path, why]) => {
        const inside = relative(place.root, path);
        return why === whys.script && isBelow(inside) ? [inside] : [];
      }),
  };
}

function isUnchanged({ files, folders, listings }: Watched, seen: ReadonlyMap<string, Seen>): boolean {
  for (const path of files.keys()) if (seen.get(path)?.stamp !== stampOf(path)) return false;
  const stampNow = folderStamps();
  return folders.every((folder) => {
    const listing = listings.get(folder);
    const stamp = stampNow(folder);
    if (listing?.stamp === stamp) return true;
    const names = folder.present();
    if (listing) listing.stamp = stamp;
    return names.size === listing?.names.size && [...names.keys()].every((name) => listing.names.has(name));
  });
}

function noteBefore(seen: Map<string, Seen>, path: string, why: string): void {
  const stamp = stampOf(path);
  if (seen.get(path)?.stamp === stamp) return;
  const content = contentOf(path, stamp);
  seen.set(path, { reference: content, stamp, content, why });
}

/** Watches the changed files that the search does not find: a removed one, and an added program of an agent. */
function noteResumed({ files, folders }: Watched, seen: ReadonlyMap<string, Seen>): void {
  const searched = new Set(folders.map((folder) => folder.path));
  for (const [path, { reference, content, why }] of seen)
    if (reference !== content && searched.has(dirname(path)) && !files.has(path)) files.set(path, why);
}

/** Reads what changed since the last look, and returns the content of these files at that time. */
function look(watched: Watched, seen: Map<string, Seen>): ReadonlyMap<Seen, string> {
  const stampNow = folderStamps();
  for (const folder of watched.folders) noteAdded(folder, stampNow(folder), { watched, seen });
  const before = new Map<Seen, string>();
  for (const path of watched.files.keys()) {
    const one = seen.get(path);
    const stamp = stampOf(path);
    if (!one || stamp === one.stamp) continue;
    before.set(one, one.content);
    one.stamp = stamp;
    one.content = contentOf(path, stamp);
  }
  return before;
}

interface Compared {
  readonly watched: Watched;
  readonly seen: ReadonlyMap<string, Seen>;
  readonly place: Place;
}

function changesFrom(
  contentBefore: (one: Seen) => string,
  { watched, seen, place }: Compared,
): readonly InputChange[] {
  return [...watched.files.keys()].flatMap((path) => {
    const one = seen.get(path);
    const change = one && changeOf(path, contentBefore(one), { watched, seen, place });
    return change ? [change] : [];
  });
}

function changeOf(path: string, before: string, { watched, seen, place }: Compared): InputChange | undefined {
  const one = seen.get(path);
  const why = watched.files.get(path);
  if (!one || why === undefined || before === one.content) return undefined;
  return { ...nameOf(path, place), how: howOf(before, one.content), why };
}

/** Watches the files that appeared in a folder where programs look for them. */
function noteAdded(
  folder: SearchedFolder,
  stamp: string,
  { watched, seen }: { readonly watched: Watched; readonly seen: Map<string, Seen> },
): void {
  const { listings, files } = watched;
  const listing = listings.get(folder);
  if (!listing || listing.stamp === stamp) return;
  const names = folder.present();
  for (const [name, why] of names) {
    const path = join(folder.path, name);
    if (listing.names.has(name) || files.has(path)) continue;
    files.set(path, why);
    seen.set(path, { reference: absent, stamp: "", content: absent, why });
  }
  listing.stamp = stamp;
  listing.names = names;
}

function howOf(before: string, content: string): InputChange["how"] {
  if (before === absent) return "added";
  return content === absent ? "removed" : "changed";
}

function nameOf(path: string, { root, env }: Place): Pick<InputChange, "name" | "isInside"> {
  const inside = relative(root, path);
  if (isBelow(inside)) return { name: inside, isInside: true };
  const inHome = relative(env["HOME"] || "/", path);
  return { name: isBelow(inHome) ? `~/${inHome}` : path, isInside: false };
}

function isBelow(way: string): boolean {
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}

/** Changes with every write of a file and every change of a link. Does not follow links. */
function stampOf(path: string): string {
  const found = lookUp(() => lookAt(path));
  if (!found) return absent;
  const { dev, ino, mode, size, mtimeMs, ctimeMs } = found;
  return `${dev} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
}

/**
 * Returns a function for one look: its result changes when an entry of the folder is added, removed or renamed. Several searches
 * share the folders of the search path, which it looks at once.
 */
function folderStamps(): (folder: SearchedFolder) => string {
  const stamps = new Map<string, string>();
  const stampOnce = (path: string): string => {
    const known = stamps.get(path);
    if (known !== undefined) return known;
    const stamp = stampOfFolder(path);
    stamps.set(path, stamp);
    return stamp;
  };
  return ({ path, others }) => [path, ...(others?.() ?? [])].map(stampOnce).join("\n");
}

function stampOfFolder(path: string): string {
  const found = lookUp(() => lookThrough(path));
  return found ? `${found.dev} ${found.ino} ${found.mtimeMs} ${found.ctimeMs}` : absent;
}

/** Nothing for what is missing, and for what is in a folder that we may not enter. */
function lookUp(stat: () => Stats | undefined): Stats | undefined {
  try {
    return stat();
  } catch {
    return undefined;
  }
}

/** Equal for equal content: a reinstalled file has new stat data only. */
function contentOf(path: string, stamp: string): string {
  if (stamp === absent) return absent;
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink()) return `link ${readlinkSync(path)}`;
    if (!found.isFile() || found.size > maxHashedBytes) return stamp;
    return `${found.mode} ${sha256(readFileSync(path))}`;
  } catch {
    // Unreadable, or gone meanwhile.
    return stamp;
  }
}
