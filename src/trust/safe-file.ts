// Synchronous calls: each takes microseconds, where a trip to the thread pool and back takes a tenth of a millisecond, and
// an iteration makes dozens.
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { lookAt } from "../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../base/errors.ts";

interface SafeFileOptions {
  /** The folder that no path may leave. It must exist; it may itself be reached through a link. */
  readonly root: string;
  /** The mode of a new file; an existing one keeps its mode. Default 0600. */
  readonly mode?: number;
  /** False: does not wait for the disk; a power failure may lose the file or leave it empty. Default true. */
  readonly durable?: boolean;
  /** False: leaves temporary files of killed processes, which a search of the whole folder finds. Default true. */
  readonly tidy?: boolean;
}

/**
 * Replaces the file at `path` with `data` atomically: temporary file, fsync, rename, fsync of the folder.
 * Creates missing folders (0700). Throws RALPH_PATH_OUTSIDE, RALPH_PATH_SYMLINK, RALPH_PATH_NOT_A_FILE, RALPH_FILE_WRITE.
 */
export async function writeFileSafely(
  path: string,
  data: string | Uint8Array,
  { root, mode = 0o600, durable = true, tidy = true }: SafeFileOptions,
): Promise<void> {
  const target = translating(path, () => locate(path, root));
  const folder = dirname(target);
  // On demand: it needs node:crypto, which takes milliseconds to load, and reading commands never write.
  const { removeStaleTemporaries, temporaryName } = await import("../base/temporary-files.ts");
  if (tidy) removeStaleTemporaries(folder);
  translating(path, () => {
    const existing = lookAt(target);
    if (existing && !existing.isFile()) throw inTheWay(path, existing, "a regular file");
    const temporary = join(folder, temporaryName());
    try {
      fill(temporary, data, { mode: existing ? existing.mode & 0o777 : mode, durable });
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    if (durable) syncFolder(folder);
  });
}

/** Creates the folder at `path`, and missing parents up to the root, for the owner only (0700). */
export async function makePrivateFolder(path: string, options: { readonly root: string }): Promise<void> {
  translating(path, () => locate(join(path, "x"), options.root, path));
}

/** Returns the real location of `path`. Creates the folders between the root and it; refuses links among them. Errors name `shown`. */
function locate(path: string, root: string, shown = path): string {
  const realRoot = realpathSync.native(root);
  const inside = below(resolve(root), resolve(path)) ?? below(realRoot, resolve(path));
  if (inside === undefined || path.includes("\0")) {
    throw new RalphError(
      "RALPH_PATH_OUTSIDE",
      `cannot write ${JSON.stringify(shown)}: it is outside ${root}`,
      { hint: `use a path inside ${root}` },
    );
  }
  let folder = realRoot;
  for (const part of inside.split(sep).slice(0, -1)) {
    folder = join(folder, part);
    const found = lookAt(folder) ?? makeFolder(folder);
    if (found && !found.isDirectory()) throw inTheWay(shown, found, "a folder", folder);
  }
  return join(realRoot, inside);
}

function below(root: string, path: string): string | undefined {
  const inside = relative(root, path);
  const leaves = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return leaves ? undefined : inside;
}

/** Creates a folder; what another process created in its place meanwhile is returned. */
function makeFolder(folder: string): Stats | undefined {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    return lookAt(folder);
  }
}

function fill(
  path: string,
  data: string | Uint8Array,
  { mode, durable }: { readonly mode: number; readonly durable: boolean },
): void {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  // A new file: where something is, also a link, it fails.
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    writeFileSync(file, data);
    fchmodSync(file, mode);
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
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

/** Returns the error for `found` at `place`, which the write of `path` needs to be something else. */
function inTheWay(path: string, found: Stats, wanted: string, place = path): RalphError {
  const isLink = found.isSymbolicLink();
  const why = isLink ? "is a symbolic link, which ralph does not follow when writing" : `is not ${wanted}`;
  return new RalphError(
    isLink ? "RALPH_PATH_SYMLINK" : "RALPH_PATH_NOT_A_FILE",
    `cannot write ${path}: ${place === path ? "it" : place} ${why}`,
    { hint: isLink ? "replace it with a real file or folder" : `move ${place} elsewhere and try again` },
  );
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

/** Returns the reason and a hint where the system refused for a reason outside ralph: space, permissions, the disk. */
function reasonOf(error: unknown): readonly [why: string, hint: string] | undefined {
  const code = systemCode(error) ?? "";
  // Node.js hides why (EROFS, EIO) behind ENOENT where it creates parents too.
  if (code === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "mkdir") {
    return ["its folder cannot be created", "Check that its file system is there and is not read-only."];
  }
  return reasons[code];
}

/** Returns the error for a write of `path` that the system refused, with its reason and a hint. */
export function writeRefused(path: string, error: unknown): RalphError {
  return refused("write", path, error);
}

function refused(verb: "open" | "read" | "write", path: string, error: unknown): RalphError {
  const [why, hint] = reasonOf(error) ?? [messageOf(error), "Check the path and its folder."];
  const code = verb === "write" ? "RALPH_FILE_WRITE" : "RALPH_FILE_READ";
  return new RalphError(code, `cannot ${verb} ${path}: ${why}`, { hint, cause: error });
}

/**
 * Returns a system error about a file (disk full, permission denied, no temporary folder) as an environment error, and
 * every other error unchanged.
 */
export function knownError(error: unknown): unknown {
  if (error instanceof RalphError) return error;
  const { path, dest, syscall } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (!reasonOf(error) && syscall !== "mkdtemp") return error;
  const file = dest ?? path;
  const reads = ["read", "scandir", "stat", "lstat", "readlink"].includes(`${syscall}`);
  // The error of an open file does not contain its path.
  const shown = typeof file === "string" ? file : "a file";
  return refused(syscall === "open" ? "open" : reads ? "read" : "write", shown, error);
}

function translating<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof RalphError ? error : writeRefused(path, error);
  }
}
