import { closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { carefulRead, lookAt } from "../base/careful-files.ts";
import type { Seal } from "../store/db.ts";
import type { LogHead, ProjectKey } from "../trust/project-key.ts";
import { makePrivateFolder } from "../trust/safe-file.ts";
import type { TableWrite } from "./event.ts";
import { chainValue, splitChain } from "./log/chain.ts";
import { readLinesFrom } from "./log/log-file.ts";
import { copyWithHead as copyWithEnd, createHeadKeeper } from "./log/log-head.ts";

/** The state of the log before an agent ran. */
export interface LogGuard {
  /**
   * Puts the log back when another file, a link or a folder took its place, or nothing did: its content outlives its removal.
   * Of a flooded log only the content from before is put back. What was there is moved to `keepIn`. Returns true when that
   * was needed.
   */
  restore(place: { readonly root: string; readonly keepIn: string }): Promise<boolean>;
  /** Returns true when the log was cut or overwritten since, or has lines at its end that ralph did not write. */
  isDamaged(): boolean;
  /** Returns true when it is damaged by so much that reading it line by line takes long. */
  isFlooded(): boolean;
  release(): void;
}

const edgeBytes = 4096;
/** Bytes of lines that are not ralph's: reading so many takes a fraction of a second, whatever is in them. */
const maxForeign = 1024 * 1024;

/** Guards the log at `file`; null while there is none. */
export function guardLog(file: string, seal: Seal | null): LogGuard | null {
  const descriptor = openFile(file);
  if (descriptor === null) return null;
  const { size, ino, dev } = fstatSync(descriptor);
  const edges = (): string => {
    const begin = readAt(descriptor, 0, Math.min(edgeBytes, size));
    return begin + readAt(descriptor, Math.max(0, size - edgeBytes), Math.min(edgeBytes, size));
  };
  const before = edges();
  const isWhole = (): boolean => fstatSync(descriptor).size >= size && edges() === before;
  const isFlooded = (): boolean => {
    const now = fstatSync(descriptor).size;
    if (!isWhole()) return now > maxForeign;
    return now - size > maxForeign && !endsInChain(descriptor, size, seal);
  };
  return {
    isFlooded,
    restore: async ({ root, keepIn }) => {
      const there = lookAt(file);
      const tooLong = isFlooded();
      if (!tooLong && there?.isFile() && there.ino === ino && there.dev === dev) return false;
      // An empty log begins with a snapshot.
      const content = isWhole() ? readAll(descriptor, tooLong ? size : Number.POSITIVE_INFINITY) : null;
      if (there) {
        await makePrivateFolder(keepIn, { root });
        renameSync(file, join(keepIn, `${basename(file)}.${Date.now()}`));
      }
      if (content) writeFileSync(file, content, { flag: "wx", mode: 0o600, flush: true });
      return true;
    },
    isDamaged: () => {
      const now = openFile(file);
      if (now === null) return true;
      try {
        const same = fstatSync(now).ino === ino;
        return same ? !isWhole() || !endsInChain(now, size, seal) : false;
      } finally {
        closeSync(now);
      }
    },
    release: () => closeSync(descriptor),
  };
}

/** Returns true when every line after `size` bytes continues the chain. */
function endsInChain(file: number, size: number, seal: Seal | null): boolean {
  if (seal?.keyId == null) return true;
  for (const { text, before } of readLinesFrom(file, Math.max(0, size - edgeBytes), size)) {
    const [line, previous] = [splitChain(text), splitChain(before)];
    if (!line || !previous || chainValue(seal, previous.chain, line.body) !== line.chain) return false;
  }
  return true;
}

function openFile(file: string): number | null {
  try {
    const descriptor = openSync(file, carefulRead);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch {
    // A link, or nothing.
  }
  return null;
}

function readAt(file: number, position: number, length: number): string {
  const buffer = Buffer.alloc(length);
  return buffer.toString("latin1", 0, readSync(file, buffer, 0, length, position));
}

function readAll(file: number, max: number): Buffer {
  const size = Math.min(max, fstatSync(file).size);
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const read = readSync(file, buffer, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

/** Restores the log after a kill, as `HeadKeeper.restoreLog` does, where no store is open. */
export function restoreKilledLog(file: string, key: ProjectKey, always: boolean): string | undefined {
  return createHeadKeeper(file, key).restoreLog(always);
}

/** Returns the copy of the log outside the project that has all that ralph recorded; null: there is none. */
export function copyWithHead(key: ProjectKey): string | null {
  return copyWithEnd(key);
}

/** Takes the log that ends with `head` for the project's, and makes its copy outside the project equal to it. */
export function acceptLog(file: string, key: ProjectKey, head: LogHead): void {
  const keeper = createHeadKeeper(file, key);
  keeper.accept(head);
  keeper.copyLog();
}

/** Returns the rows about the iteration during which ralph was killed, as they were when it began. */
export function rowsAtWork(file: string, key: ProjectKey): readonly TableWrite[] {
  return createHeadKeeper(file, key).workRows();
}
