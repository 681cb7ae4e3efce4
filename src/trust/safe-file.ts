// Synchronous calls: each takes microseconds, where a trip to the thread pool and back takes a tenth of a millisecond, and
// an iteration makes dozens.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { careful, lookAt } from "../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../base/errors.ts";

export interface SafeFileOptions {
  /** The folder that no path may leave. It must exist; it may itself be reached through a link. */
  readonly root: string;
  /** The mode of a new file; an existing one keeps its mode. Default 0600. */
  readonly mode?: number;
  /** False: does not wait for the disk; a power failure may lose the file or leave it empty. Default true. */
  readonly durable?: boolean;
  /** False: leaves temporary files of killed processes, which a search of the whole folder finds. Default true. */
  readonly tidy?: boolean;
}

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;

/**
 * Replaces the file at `path` with `data` atomically: temporary file, fsync, rename, fsync of the folder.
 * Creates missing folders (0700). Throws RALPH_PATH_OUTSIDE, RALPH_PATH_SYMLINK, RALPH_PATH_NOT_A_FILE, RALPH_FILE_WRITE.
 */
export async function writeFileSafely(
  path: string,
  data: string | Uint8Array,
  options: SafeFileOptions,
): Promise<void> {
  const { durable = true, tidy = true } = options;
  const target = locate(path, options.root);
  // On demand: it needs node:crypto, which takes milliseconds to load, and reading commands never write.
  const { removeStaleTemporaries, temporaryName } = await import("./stale-temporaries.ts");
  if (tidy) removeStaleTemporaries(target.folder);
  translating(path, () => {
    const existing = kindOf(target.path);
    refuseOther(existing, path);
    const mode = existing ? existing.mode & 0o777 : (options.mode ?? 0o600);
    const temporary = join(target.folder, temporaryName());
    const file = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    try {
      fill(file, data, { mode, durable });
      sameFolder(target.folder, path);
      renameSync(temporary, target.path);
    } catch (error) {
      removeIfThere(temporary);
      throw error;
    }
    if (durable) syncFolder(target.folder);
  });
}

/**
 * Appends `data` to the file at `path` in one write and syncs it; creates the file (0600) and missing folders (0700).
 * Throws the same errors as `writeFileSafely`.
 */
export async function appendFileSafely(
  path: string,
  data: string | Uint8Array,
  options: SafeFileOptions,
): Promise<void> {
  const target = locate(path, options.root);
  translating(path, () => {
    refuseOther(kindOf(target.path), path);
    const flags = O_WRONLY | O_APPEND | O_CREAT | careful;
    const file = openSync(target.path, flags, options.mode ?? 0o600);
    try {
      refuseOther(fstatSync(file), path);
      writeFileSync(file, data);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  });
}

/** Creates the folder at `path`, and missing parents up to the root, for the owner only (0700). */
export async function makePrivateFolder(path: string, options: { readonly root: string }): Promise<void> {
  locate(join(path, "x"), options.root, path);
}

interface Target {
  readonly path: string;
  readonly folder: string;
}

/** Returns the real location of `path`. Creates the folders between the root and it; refuses links among them. Errors name `shown`. */
function locate(path: string, root: string, shown = path): Target {
  return translating(shown, () => {
    const realRoot = realpathSync.native(root);
    const inside = below(resolve(root), resolve(path)) ?? below(realRoot, resolve(path));
    if (inside === undefined || path.includes("\0")) throw outside(shown, root);
    const parts = inside.split(sep);
    const name = parts.pop() ?? "";
    let folder = realRoot;
    for (const part of parts) {
      folder = join(folder, part);
      ensureFolder(folder, shown);
    }
    sameFolder(folder, shown);
    return { path: join(folder, name), folder };
  });
}

function below(root: string, path: string): string | undefined {
  const inside = relative(root, path);
  const leaves = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return leaves ? undefined : inside;
}

function ensureFolder(folder: string, path: string): void {
  const found = kindOf(folder) ?? makeFolder(folder);
  if (found.isSymbolicLink()) throw symlink(folder, path);
  if (!found.isDirectory()) {
    throw new RalphError(
      "RALPH_PATH_NOT_A_FILE",
      `cannot write ${path}: ${folder === path ? "it" : folder} is not a folder`,
      {
        hint: `move ${folder} elsewhere and try again`,
      },
    );
  }
}

/** Creates a folder; what another process created in its place meanwhile is found. */
function makeFolder(folder: string): FileFacts {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
  return lstatSync(folder);
}

/** Refuses a folder that, since it was checked, became a link or moved below one. */
function sameFolder(folder: string, path: string): void {
  if (realpathSync.native(folder) !== folder) throw symlink(folder, path);
}

interface FileFacts {
  readonly mode: number;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(path: string): FileFacts | undefined {
  return lookAt(path);
}

function refuseOther(found: FileFacts | undefined, path: string): void {
  if (!found || found.isFile()) return;
  if (found.isSymbolicLink()) throw symlink(path, path);
  throw new RalphError("RALPH_PATH_NOT_A_FILE", `cannot write ${path}: it is not a regular file`, {
    hint: "move it elsewhere and try again",
  });
}

function fill(
  file: number,
  data: string | Uint8Array,
  { mode, durable }: { readonly mode: number; readonly durable: boolean },
): void {
  try {
    writeFileSync(file, data);
    fchmodSync(file, mode);
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The caller throws what went wrong before.
  }
}

function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Windows cannot open a folder, and some network file systems cannot sync one.
  }
}

function symlink(link: string, path: string): RalphError {
  const where = link === path ? "it is a symbolic link" : `${link} is a symbolic link`;
  return new RalphError(
    "RALPH_PATH_SYMLINK",
    `cannot write ${path}: ${where}, which ralph does not follow when writing`,
    {
      hint: "replace it with a real file or folder",
    },
  );
}

function outside(path: string, root: string): RalphError {
  return new RalphError("RALPH_PATH_OUTSIDE", `cannot write ${JSON.stringify(path)}: it is outside ${root}`, {
    hint: `use a path inside ${root}`,
  });
}

const reasons: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  ENOSPC: ["the disk is full", "Free some space and run the same command again; nothing was half-written."],
  EDQUOT: ["the disk quota is used up", "Free some space and run the same command again."],
  EROFS: ["the file system is read-only", "Make it writable, or work in another folder."],
  EACCES: ["permission is denied", "Give yourself write permission there."],
  EPERM: ["the operation is not permitted", "Check the owner and attributes of the file."],
  EMFILE: ["too many files are open", "Raise the limit (ulimit -n) and run the same command again."],
  ENFILE: ["too many files are open on this machine", "Close programs and run the same command again."],
  EIO: ["the disk reported an error", "Check the disk's health before you continue."],
  ELOOP: ["it is a symbolic link", "Replace it with a real file."],
};

/** System calls that do not write, each with what it does. */
const verbs: Readonly<Record<string, "open" | "read">> = {
  open: "open",
  read: "read",
  scandir: "read",
  stat: "read",
  lstat: "read",
  readlink: "read",
};

/** Returns the error for a write of `path` that the system refused, with its reason and a hint. */
export function writeRefused(path: string, error: unknown): RalphError {
  return refused("write", path, error);
}

function refused(verb: "open" | "read" | "write", path: string, error: unknown): RalphError {
  const [why, hint] = (isFolderRefused(error) ? folderRefused : reasons[systemCode(error) ?? ""]) ?? [
    messageOf(error),
    "Check the path and its folder.",
  ];
  return new RalphError(
    verb === "write" ? "RALPH_FILE_WRITE" : "RALPH_FILE_READ",
    `cannot ${verb} ${path}: ${why}`,
    { hint, cause: error },
  );
}

const folderRefused = [
  "its folder cannot be created",
  "Check that its file system is there and is not read-only.",
] as const;

/** Checks whether a folder was refused. Node.js hides why (EROFS, EIO) behind ENOENT where it creates parents too. */
function isFolderRefused(error: unknown): boolean {
  return systemCode(error) === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "mkdir";
}

/** Checks whether the system refused for a reason outside ralph: space, permissions, the disk. */
function isRefusal(error: unknown): boolean {
  return (systemCode(error) ?? "") in reasons || isFolderRefused(error);
}

/**
 * Returns a system error about a file (disk full, permission denied, no temporary folder) as an environment error, and
 * every other error unchanged.
 */
export function knownError(error: unknown): unknown {
  const { path, dest, syscall } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (error instanceof RalphError || !(isRefusal(error) || syscall === "mkdtemp")) return error;
  const file = dest ?? path;
  // The error of an open file does not contain its path.
  const verb = verbs[String(syscall)] ?? "write";
  return refused(verb, typeof file === "string" ? file : "a file", error);
}

function translating<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RalphError) throw error;
    throw writeRefused(path, error);
  }
}
