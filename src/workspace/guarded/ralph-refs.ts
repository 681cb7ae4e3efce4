import { copyFileSync, type Dirent, lstatSync, mkdirSync, readFileSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import { remembering } from "../git/file-stamp.ts";
import { git } from "../git/git.ts";
import type { Workspace } from "../workspace.ts";
import { removeStale } from "./git-folder/locks.ts";
import { asideOf, copyAside, moveAside } from "./keep-copies.ts";
import { entriesOf, removeAdded } from "./remembered.ts";

/** The folders of refs that ralph writes. No ref of ralph's has a folder of its own. */
const folders = ["refs/ralph", "refs/ralph/salvage", "refs/ralph/rollback", "refs/ralph/overwritten"];
/** More files in the way are not removed one by one. */
const maxEach = 100;
/** Bytes of packed refs: a million of them. An agent may have made the file very large. */
const maxPacked = 64 * 1024 * 1024;

/**
 * Removes refs, locks and other files in the way of the refs under which ralph sets work aside. Keeps a copy in `keepIn`.
 * Returns a sentence for each. Starts git only for packed refs.
 */
export async function clearRalphRefs(ws: Workspace, keepIn: string): Promise<readonly string[]> {
  // One after the other: below a file nothing can be looked up.
  const removed = folders.flatMap((folder) => {
    const names = inTheWay(ws, folder);
    if (names.length > maxEach) {
      renewFolder(ws, folder, new Set(names), keepIn);
      return [`${names.length} files of ${folder}`];
    }
    for (const name of names) {
      const path = join(ws.commonDir, name);
      const aside = asideOf(ws, path, keepIn);
      if (!lstatSync(path).isDirectory()) copyAside(path, aside);
      removeAdded(path, aside);
    }
    return names;
  });
  const packed = packedInTheWay(join(ws.commonDir, "packed-refs"));
  if (packed.length > 0) await deletePacked(ws, packed);
  const locks = await removeStale(ws, () => locksIn(ws), keepIn);
  return [...new Set([...removed, ...packed, ...locks.map((path) => relative(ws.commonDir, path))])].map(
    (name) => `removed ${name}: it was in the way of the work that ralph sets aside`,
  );
}

/** Moves the folder away, in one step, and its refs back. */
function renewFolder(ws: Workspace, folder: string, odd: ReadonlySet<string>, keepIn: string): void {
  const path = join(ws.commonDir, folder);
  const refs = entriesOf(path).filter((one) => one.isFile() && !odd.has(`${folder}/${one.name}`));
  const moved = moveAside(path, asideOf(ws, path, keepIn));
  mkdirSync(path);
  for (const { name } of refs) copyFileSync(join(moved, name), join(path, name));
}

function inTheWay({ commonDir }: Workspace, folder: string): readonly string[] {
  const path = join(commonDir, folder);
  const found = lookAt(path);
  if (!found) return [];
  if (!found.isDirectory()) return [folder];
  if (folder === "refs/ralph") return [];
  const odd = entriesOf(path).filter((one) => !isRef(path, one));
  return odd.map(({ name }) => `${folder}/${name}`);
}

function isRef(folder: string, entry: Dirent): boolean {
  if (entry.name.endsWith(".lock")) return true;
  // Git removes an empty folder itself.
  if (entry.isDirectory()) return entriesOf(join(folder, entry.name)).length === 0;
  return entry.isFile() && [41, 65].includes(lstatSync(join(folder, entry.name)).size);
}

/** The refs of that file which have the name of one of the folders, or are below a ref's name. */
const packedInTheWay = remembering("lstat", (path, stats: Stats | undefined): readonly string[] => {
  if (!stats?.isFile() || stats.size > maxPacked) return [];
  const names = readFileSync(path, "utf8").match(/(?<=^[0-9a-f]{40,64} )refs\/ralph(?:\/[^\n]*)?$/gm) ?? [];
  return names.filter((name) => folders.includes(name) || /^refs\/ralph\/\w+\/[^/]+\//.test(name));
});

async function deletePacked(ws: Workspace, names: readonly string[]): Promise<void> {
  const stdin = names.map((name) => `delete ${name}\n`).join("");
  await git(ws, ["update-ref", "--no-deref", "--stdin"], { stdin });
}

/** Returns the paths of the locks that writing ralph's refs waits for. */
function locksIn({ commonDir }: Workspace): readonly string[] {
  const ofRefs = folders.slice(1).flatMap((folder) => {
    const names = entriesOf(join(commonDir, folder)).map(({ name }) => name);
    return names.filter((name) => name.endsWith(".lock")).map((name) => join(commonDir, folder, name));
  });
  return [join(commonDir, "packed-refs.lock"), ...ofRefs];
}
