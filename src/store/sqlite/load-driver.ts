import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { messageOf, RalphError } from "../../base/errors.ts";
import type { SqlParam } from "../port/db.ts";

/** The part of the `node:sqlite` API that ralph uses. */
export interface SqliteDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  all(...params: readonly SqlParam[]): unknown[];
  get(...params: readonly SqlParam[]): unknown;
  run(...params: readonly SqlParam[]): { readonly changes: number | bigint };
}

type DatabaseSync = new (path: string, options?: { readOnly?: boolean }) => SqliteDatabase;

interface Exports {
  readonly DatabaseSync: DatabaseSync;
}

interface SqliteDriver {
  readonly DatabaseSync: DatabaseSync;
}

const packageName = "@photostructure/sqlite";

/** Older versions, back to 3.7.0, can corrupt a WAL database that two connections write (sqlite.org/wal.html#walresetbug). */
const oldestSafe = "3.51.3";

let loaded: SqliteDriver | undefined;

/** Returns the SQLite built into Node if it is recent enough, else the packaged one. Loads it on the first call. */
export function loadDriver(): SqliteDriver {
  loaded ??= builtIn() ?? packaged();
  return loaded;
}

export function isSafeToWrite(version: string): boolean {
  const [have, need] = [version, oldestSafe].map((text) => text.split(".").map(Number));
  for (const [index, part] of (need ?? []).entries()) {
    const mine = have?.[index] ?? 0;
    if (mine !== part) return mine > part;
  }
  return true;
}

function builtIn(): SqliteDriver | undefined {
  const module = quietly(() => process.getBuiltinModule("node:sqlite")) as Exports | undefined;
  if (module === undefined) return undefined;
  const { version, fts5 } = describe(module.DatabaseSync);
  return fts5 && isSafeToWrite(version) ? module : undefined;
}

function packaged(): SqliteDriver {
  const require = createRequire(import.meta.filename);
  try {
    return (prebuilt(require) ?? require("@photostructure/sqlite")) as Exports;
  } catch (cause) {
    throw new RalphError("RALPH_STORE_DRIVER", `cannot load SQLite: ${messageOf(cause)}`, {
      hint: "reinstall ralph for this Node version and machine, or use a newer Node",
      cause,
    });
  }
}

function describe(DatabaseSync: DatabaseSync): { version: string; fts5: boolean } {
  const database = new DatabaseSync(":memory:");
  try {
    const row = database
      .prepare("SELECT sqlite_version() AS version, sqlite_compileoption_used('ENABLE_FTS5') AS fts5")
      .get() as { version: string; fts5: number };
    return { version: row.version, fts5: row.fts5 === 1 };
  } finally {
    database.close();
  }
}

/**
 * Loads the package's native module for this machine directly: the JavaScript around it takes 5 ms to load and adds
 * nothing that ralph uses. Returns `undefined` when the module is not in its usual place or does not load; the package
 * itself searches more places.
 */
function prebuilt(require: NodeJS.Require): Exports | undefined {
  // The package distinguishes the C libraries in the same way.
  const libc = process.platform === "linux" && existsSync("/etc/alpine-release") ? "musl" : "glibc";
  const name = `prebuilds/${process.platform}-${process.arch}/@photostructure+sqlite.${libc}.node`;
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const home = join(folder, "node_modules", packageName);
    if (!existsSync(home)) continue;
    try {
      // A module built on this machine takes precedence; the package finds it.
      return existsSync(join(home, "build")) ? undefined : (require(join(home, name)) as Exports);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Some releases of Node print a warning when `node:sqlite` is first loaded. */
function quietly<T>(load: () => T): T {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
