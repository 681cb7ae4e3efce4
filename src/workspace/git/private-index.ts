import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, lstat, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { isAlive, thisOwner } from "../../process/identity.ts";
import { git } from "./git.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Runs `use` with a private index file that contains `tree`, without changing the user's index. The file begins as a copy of
 * it, so that git need not read every file again; null: it stays this copy.
 */
export async function withPrivateIndex<T>(
  ws: Workspace,
  tree: string | null,
  use: (indexFile: string) => Promise<T>,
): Promise<T> {
  const indexFile = join(ws.gitDir, privateIndexName());
  try {
    await copyIndex(join(ws.gitDir, "index"), indexFile);
    if (tree !== null) await git(ws, ["read-tree", "--reset", tree], { indexFile });
    return await use(indexFile);
  } finally {
    // A file that cannot be removed now is removed with the stale locks of a later run.
    for (const file of [indexFile, `${indexFile}.lock`])
      await rm(file, { force: true }).catch(() => undefined);
  }
}

async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = await lstat(from);
    await copyFile(from, to, constants.COPYFILE_EXCL);
    // Git reads again which files were written as late as the index: a later time would hide their changes.
    const seconds = Math.floor(mtimeMs) / 1000;
    await utimes(to, seconds, seconds);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Returns a file name that identifies its owner, so that a later start can detect a stale index. */
export function privateIndexName(): string {
  const { pid, startTime } = thisOwner();
  return `ralph-index-${machine()}-${pid}-${hex(startTime)}-${randomBytes(6).toString("hex")}`;
}

/**
 * Returns the owner state of a private index file by its name: its process is dead (`left`), alive (`used`), or on another
 * machine (`unknown`). Undefined for other files.
 */
export function ownerOfIndex(name: string): "left" | "used" | "unknown" | undefined {
  const parts = /^ralph-index-([0-9a-f]{8})-(\d+)-([0-9a-f]*)-[0-9a-f]{12}(?:\.lock)?$/.exec(name);
  if (!parts) return undefined;
  const [, where, pid, startTime = ""] = parts;
  if (where !== machine()) return "unknown";
  const owner = { ...thisOwner(), pid: Number(pid), startTime: Buffer.from(startTime, "hex").toString() };
  return isAlive(owner) ? "used" : "left";
}

/** Identifies the boot, machine and PID namespace, in which a pid is meaningful. */
function machine(): string {
  const { host, bootId } = thisOwner();
  return sha256(`${host} ${bootId}`).slice(0, 8);
}

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}
