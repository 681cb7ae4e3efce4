import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolders, namesIn } from "../../base/careful-files.ts";
import { pathKind } from "../git/paths.ts";

/** A small file as it was. */
export interface KeptFile {
  /** Absolute. */
  readonly path: string;
  /** Null: there was none. */
  readonly was: { readonly content: Buffer; readonly mode: number } | null;
}

/** Reads a file. A link counts as none: what it names is a file of its own. */
export function keptFile(path: string): KeptFile {
  const found = pathKind(path);
  return { path, was: found?.isFile() ? { content: readFileSync(path), mode: found.mode & 0o777 } : null };
}

/** Reads the files of a folder, without those of its folders. */
export function keptFolder(folder: string, isKept: (name: string) => boolean): readonly KeptFile[] {
  return namesIn(folder).flatMap((name) => {
    const file = isKept(name) ? keptFile(join(folder, name)) : null;
    return file?.was ? [file] : [];
  });
}

/** Returns true if the file is not as it was. */
export function isChanged({ path, was }: KeptFile): boolean {
  const { was: now } = keptFile(path);
  return was === null ? now !== null : now?.mode !== was.mode || !now.content.equals(was.content);
}

/**
 * Puts back a file that changed, after what is there was copied to the folder `keepIn`. Returns the path of the copy, null: there
 * was nothing to copy.
 */
export function restoreFile({ path, was }: KeptFile, keepIn: string): string | null {
  const kept = keptFile(path).was === null ? null : freeName(join(keepIn, basename(path)));
  if (kept !== null) copyFileSync(path, kept);
  if (was === null) rmSync(path, { force: true });
  else replaceFile(path, was);
  return kept;
}

function freeName(path: string): string {
  makeFolders(dirname(path));
  for (let n = 1; ; n++) {
    const name = n === 1 ? path : `${path}.${n}`;
    if (!pathKind(name)) return name;
  }
}

function replaceFile(path: string, { content, mode }: NonNullable<KeptFile["was"]>): void {
  makeFolders(dirname(path), 0o777);
  const temporary = `${path}.ralph`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, content, { mode, flag: "wx" });
  renameSync(temporary, path);
}
