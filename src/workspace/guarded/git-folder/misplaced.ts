import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { remembering } from "../../git/file-stamp.ts";
import type { Workspace } from "../../workspace.ts";
import { asideOf, copyAside } from "../keep-copies.ts";
import { entriesOf, kindOf, removeAdded } from "../remembered.ts";
import type { OddFiles } from "./odd-files.ts";

/** The files that git writes as it commits, merges or resets. */
const ofTree: readonly string[] = [
  ...["COMMIT_EDITMSG", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "AUTO_MERGE"],
  ...["ORIG_HEAD", "FETCH_HEAD", "logs/HEAD"],
];
const shared: readonly string[] = ["packed-refs", "logs/refs/stash"];
const sharedFolders: readonly string[] = ["logs", "logs/refs", "logs/refs/heads"];
/** The folders of objects, among which git makes those of loose ones as it needs them. */
const objectFolder = /^(?:[0-9a-f]{2}|info|pack)$/;

/**
 * Moves folders away that have the name of a file that git writes, and files with the name of a folder of its logs or objects; git
 * would refuse every commit. `branch` is the full name of the current one, or null. Returns the paths, and for objects their
 * folder. Starts no process.
 */
export function moveMisplaced(
  ws: Workspace,
  { branch, folders }: Pick<OddFiles, "folders"> & { readonly branch: string | null },
  keepIn: string,
): readonly string[] {
  const log = branch === null ? [] : [join("logs", branch)];
  const below = log.flatMap((path) => foldersAbove(path));
  const objects = join(ws.commonDir, "objects");
  const places = [
    ...[ws.gitDir, ws.commonDir].map((folder) => ["folder", join(folder, "logs")] as const),
    ...[...sharedFolders, ...below].map((name) => ["folder", join(ws.commonDir, name)] as const),
    ...[...shared, ...log].map((name) => ["file", join(ws.commonDir, name)] as const),
    ...ofTree.map((name) => ["file", join(ws.gitDir, name)] as const),
    ...filesAmongObjects(objects).map((path) => ["folder", path] as const),
  ];
  const moved: string[] = [];
  // Folders come before what is in them: below a file nothing can be looked up.
  for (const [wanted, path] of places) {
    const other = wanted === "file" ? "folder" : "file";
    if (folders && folders.has(path) !== (other === "folder")) continue;
    if (kindOf(path) !== other || moved.includes(path)) continue;
    const aside = asideOf(ws, path, keepIn);
    if (other === "file") copyAside(path, aside);
    removeAdded(path, aside);
    if (wanted === "folder") mkdirSync(path, { mode: 0o755 });
    moved.push(path);
  }
  // There can be 256 of them.
  return [...new Set(moved.map((path) => (dirname(path) === objects ? objects : path)))];
}

const filesAmongObjects = remembering("lstat", (objects): readonly string[] => {
  const files = entriesOf(objects).filter((entry) => entry.isFile() && objectFolder.test(entry.name));
  return files.map(({ name }) => join(objects, name));
});

/** Below `logs/refs/heads`, nearest last. */
function foldersAbove(log: string): readonly string[] {
  const found: string[] = [];
  for (let folder = dirname(log); folder.startsWith("logs/refs/heads/"); folder = dirname(folder))
    found.unshift(folder);
  return found;
}
