import type { Dialect } from "./dialect.ts";

/** A value in a row. Booleans are stored as 0 and 1, JSON and times (ISO 8601, UTC) as text. */
export type SqlValue = string | number | null;
/** A value that a statement is given: bytes too, which no event's row holds. */
export type SqlParam = SqlValue | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

/** Read access. SQL is the portable subset with `?` for parameters; everything else goes through `dialect`. */
export interface Reader {
  readonly dialect: Dialect;
  all<T = Row>(sql: string, params?: readonly SqlParam[]): Promise<readonly T[]>;
  /** Returns the first row, `undefined` when there is none. */
  get<T = Row>(sql: string, params?: readonly SqlParam[]): Promise<T | undefined>;
}

/**
 * Write access, available only inside a transaction. After a failed statement the transaction can only be rolled back,
 * unless a savepoint surrounds the statement.
 */
export interface Tx extends Reader {
  /** Runs one statement and returns the number of rows that it changed. */
  run(sql: string, params?: readonly SqlParam[]): Promise<number>;
  /**
   * Inserts a row when the transaction commits, in order and with the other such rows of its table, which have the same columns.
   * The transaction itself does not see it.
   */
  insertAtCommit(table: string, row: Row): void;
  /** Runs `work`. When it throws, its writes are undone and the error is rethrown; the transaction stays usable. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/** A snapshot of the database at one moment. */
export interface View extends Reader {
  close(): Promise<void>;
}

export interface TransactionOptions {
  /**
   * Default true. With false the commit does not wait for the disk: a power failure may undo it (and no other commit), a
   * crash of ralph cannot. For work that is simply repeated.
   */
  readonly durable?: boolean;
  /**
   * Default true. With false other machines that share the store need not be waited for: for one statement that itself checks what it
   * changes.
   */
  readonly alone?: boolean;
}

/** A copy of a store at one moment. */
export interface Backup {
  readonly path: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Where and how to open a store. */
export interface StoreOptions {
  readonly path: string;
  /** Refuses all writes. A store with an older schema is migrated first nevertheless, unless `migrate` is false. */
  readonly readOnly?: boolean;
  /** Default true; false refuses a store that is empty or has an older schema, with `RALPH_STORE_INCOMPLETE`. */
  readonly migrate?: boolean;
  /** Default true: creates a missing store and its folder. */
  readonly create?: boolean;
  /** Wall time, for the name of a backup. */
  readonly now?: () => Date;
  /**
   * The folder of this store's backups (`store/backups.ts`); default none. When it has one and the store is missing or empty,
   * opening fails, because data was lost.
   */
  readonly backups?: string;
  /** Default `project`; `hivemind`: the memory that projects share, with migrations of its own. */
  readonly schema?: "project" | "hivemind";
  /** The project's folder on this machine: tells the working copies that share a server apart. Absent: it is the only one. */
  readonly root?: string;
  /** How long a call waits for a server that is gone, in milliseconds. Default 30,000. */
  readonly waitMs?: number;
  /** Called with the error when calls begin to wait for a server that is gone; with null when it is back. */
  readonly onWait?: (error: unknown) => void;
  /** How long a statement waits for another process's lock, in milliseconds; it blocks this process meanwhile. Default 5,000. */
  readonly busyMs?: number;
}

/** The operations that only a store in a file needs. Its backups: `store/backups.ts`. */
interface FileStore {
  /**
   * Restores the file when someone removed or replaced it while it was open; returns true when that was needed. Writes of others to
   * the replacement are lost.
   */
  rescue(): Promise<boolean>;
  /** Checks all of the file and returns the first problem, `undefined` for an intact one. */
  findDamage(): Promise<string | undefined>;
}

/**
 * One project's database. The port is async, so that a database server can implement it. Every write is a transaction,
 * which is one function and holds the connection: reads through the `Db` wait for it, so inside it use the `Tx`.
 */
export interface Db extends Reader {
  /** The store's path or address, for messages. */
  readonly location: string;
  /** Runs `work` in one transaction: commits and returns its result, or rolls back and rethrows its error. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Null: the store is not a file of this machine. */
  readonly file: FileStore | null;
  /**
   * Opens a snapshot of the current content, which later writes do not change; taking it copies nothing. Close it
   * soon: the write-ahead log cannot shrink before.
   */
  view(): Promise<View>;
  close(): Promise<void>;
}
