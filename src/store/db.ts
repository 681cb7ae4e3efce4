/** A value in a row. Booleans are stored as 0 and 1, JSON and times (ISO 8601, UTC) as text. */
export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, SqlValue>>;

/** Reading. SQL is the portable subset with `?` for parameters. */
export interface Reader {
  all<T = Row>(sql: string, params?: readonly SqlValue[]): Promise<readonly T[]>;
  /** The first row, if there is one. */
  get<T = Row>(sql: string, params?: readonly SqlValue[]): Promise<T | undefined>;
}

/** Writing, only to be had inside a transaction. */
export interface Tx extends Reader {
  /** Runs one statement and tells how many rows it changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  /** Runs `work`; when it throws, what it wrote is undone and the error thrown on, the transaction stays usable. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/** A database as it was at one moment. */
export interface View extends Reader {
  close(): Promise<void>;
}

export interface TransactionOptions {
  /**
   * False: a power cut, but no crash of ours, may undo the commit, and then it alone: for what is simply done again.
   * Saves the wait for the disk. Default true.
   */
  readonly durable?: boolean;
}

/**
 * One project's database. Async, so that a server can stand behind it. Every write is a transaction, which holds the
 * connection from its first statement (`BEGIN IMMEDIATE`): reads through the `Db` wait for it; inside, use the `Tx`.
 */
export interface Db extends Reader {
  readonly dialect: "sqlite" | "postgres";
  /** Where it is, for messages. */
  readonly location: string;
  /** Runs `work` in one transaction: commits its result, or rolls back and throws on what it throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Where its file was removed or replaced under it, brings all of it back to its place; true when that was needed.
   * What others wrote to the replacement is gone.
   */
  rescueFile(): Promise<boolean>;
  /**
   * What it holds now, to be read as it is now whatever is written later; costs nothing until it is read. Closed
   * soon, for the store's log cannot be shortened before.
   */
  view(): Promise<View>;
  close(): Promise<void>;
}
