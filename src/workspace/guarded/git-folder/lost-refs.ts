import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { count } from "../../../base/text.ts";
import { remembering } from "../../git/file-stamp.ts";
import { pathKind } from "../../git/paths.ts";
import type { Workspace } from "../../workspace.ts";
import { entriesOf } from "../remembered.ts";

/** More refs with a file of their own, and folders of them, are not looked at. */
const maxLoose = 5000;
/** Bytes: some hundred thousand refs. */
const maxPacked = 16 * 1024 * 1024;
/** The maximum number of refs that are named. */
const maxNamed = 20;

/** Full names of branches and tags with their hashes. */
type Hashes = ReadonlyMap<string, string>;

/** The branches and tags of a repository; a file of its own overrides a packed ref. */
export interface Refs {
  readonly loose: Hashes;
  /** There may be more loose ones. */
  readonly isCut: boolean;
  readonly packed: Hashes;
}

/** Reads the branches and tags without a process, and again only the files that changed. */
export function readRefs({ commonDir }: Workspace): Refs {
  const loose = new Map<string, string>();
  const open = ["refs/heads", "refs/tags"].map((name) => join(commonDir, name));
  let left = maxLoose;
  for (let folder = open.pop(); folder !== undefined && left > 0; folder = open.pop()) {
    const { files, folders } = listRefs(folder);
    const looked = files.slice(0, left);
    // A folder counts too: an agent can make as many as files.
    left -= looked.length + 1;
    for (const path of looked) {
      const hash = hashIn(path);
      if (hash !== null) loose.set(relative(commonDir, path), hash);
    }
    for (const one of folders) open.push(one);
  }
  return { loose, isCut: left <= 0, packed: packedIn(join(commonDir, "packed-refs")) };
}

/** Returns a sentence for each branch and tag that is gone, with the command that restores it: a person may have deleted it. */
export function lostRefs({ commonDir }: Workspace, before: Refs, now: Refs): readonly string[] {
  // Of very many refs, some are not read.
  const isThere = (name: string): boolean => now.isCut && pathKind(join(commonDir, name)) !== undefined;
  const isLost = ([name]: readonly [string, string]): boolean =>
    !now.loose.has(name) && !now.packed.has(name) && !isThere(name);
  // The packed refs are the same object while their file is.
  const packed = before.packed === now.packed ? [] : [...before.packed].filter(isLost);
  const lost = [...new Map([...packed, ...[...before.loose].filter(isLost)])];
  const more = lost.length - maxNamed;
  return [
    ...lost.slice(0, maxNamed).map(sentence),
    ...(more > 0 ? [`${count(more, "more ref")} are gone`] : []),
  ];
}

function sentence([full, hash]: readonly [string, string]): string {
  const name = full.replace(/^refs\/(?:heads|tags)\//, "");
  const [what, command] = full.startsWith("refs/tags/") ? ["tag", "git tag"] : ["branch", "git branch"];
  return `the ${what} ${name} was deleted during the session; to restore it: ${command} ${word(name)} ${hash}`;
}

/** Returns the name as one word of a shell. */
function word(name: string): string {
  return /^[\w./@+][\w./@+-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

const listRefs = remembering("lstat", (folder) => {
  const entries = entriesOf(folder);
  const isRef = (name: string): boolean => !name.endsWith(".lock");
  return {
    files: entries.filter((one) => one.isFile() && isRef(one.name)).map(({ name }) => join(folder, name)),
    folders: entries.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name)),
  };
});

const hashIn = remembering("lstat", (path, stats): string | null => {
  const text = stats?.isFile() && stats.size < 100 ? readFileSync(path, "utf8").trim() : "";
  return /^[0-9a-f]{40,64}$/.test(text) ? text : null;
});

const packedIn = remembering("lstat", (path, stats): Hashes => {
  const text = stats?.isFile() && stats.size <= maxPacked ? readFileSync(path, "utf8") : "";
  const lines = text.matchAll(/^([0-9a-f]{40,64}) (refs\/(?:heads|tags)\/.+)$/gm);
  return new Map([...lines].map(([, hash = "", name = ""]) => [name, hash]));
});
