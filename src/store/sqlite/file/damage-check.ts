import { closeSync, openSync, readSync } from "node:fs";
import { lookClosely } from "../../../base/careful-files.ts";
import { RalphError } from "../../../base/errors.ts";
import type { FileState } from "../../db.ts";
import { quoted } from "../../dialect.ts";
import { type Connection, openConnection } from "../connection.ts";
import { tableNames } from "../schema-version.ts";
import { sizeOf } from "./inspect-file.ts";
import type { WalMark } from "./wal-mark.ts";

/** The state of a store's file at one moment. */
export interface FileMark {
  readonly size: bigint;
  /** Changes with every write to the file, and cannot be set. */
  readonly changed: bigint;
  readonly walSize: number;
}

/** Above this size (bytes), only the first page of each table is read. */
const maxChecked = 64 * 1024 * 1024;
/** How every write-ahead log begins (sqlite.org/fileformat2.html#walformat), but for its last bit. */
const walMagic = 0x377f0682;

export function markFile(path: string): FileMark | null {
  const stats = lookClosely(path);
  return stats ? { size: stats.size, changed: stats.ctimeNs, walSize: sizeOf(`${path}-wal`) } : null;
}

/**
 * Returns the state of a store's file since `mark`, and of what `wal` took in. Costs a few calls while nothing wrote the file
 * itself, which happens when the write-ahead log is moved to it. A store never shrinks while it is open.
 */
export async function fileState(path: string, mark: FileMark, wal: WalMark): Promise<FileState> {
  const now = markFile(path);
  if (now === null || now.size < mark.size) return "damaged";
  const walIsGood = now.walSize >= mark.walSize && hasWalHeader(path, now.walSize);
  const isWritten = now.changed !== mark.changed || !wal.isIntact();
  if (!isWritten && walIsGood) return "intact";
  try {
    const connection = await openConnection(path, { readOnly: true });
    try {
      if (!isReadable(connection, Number(now.size) + now.walSize)) return "damaged";
      return isWritten ? "written" : "intact";
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof RalphError && lost.includes(error.code)) return "damaged";
    throw error;
  }
}

const lost: readonly string[] = ["RALPH_STORE_CORRUPT", "RALPH_STORE_FOREIGN", "RALPH_STORE_IO"];

function isReadable(connection: Connection, size: number): boolean {
  if (size <= maxChecked) {
    const [first] = connection.all<{ quick_check: string }>("PRAGMA quick_check(1)");
    if (first?.quick_check !== "ok") return false;
  }
  const tables = tableNames(connection);
  for (const table of tables) connection.get(`SELECT 1 FROM ${quoted(table)} LIMIT 1`);
  return tables.length > 0;
}

/** SQLite holds no locks on this file, so that it may be opened and closed. */
function hasWalHeader(path: string, size: number): boolean {
  if (size === 0) return true;
  const file = openSync(`${path}-wal`, "r");
  try {
    const bytes = Buffer.alloc(4);
    return readSync(file, bytes, 0, 4, 0) === 4 && (bytes.readUInt32BE() & ~1) === walMagic;
  } finally {
    closeSync(file);
  }
}
