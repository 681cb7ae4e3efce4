import pg from "pg";
import { messageOf, RalphError } from "../../base/errors.ts";
import type { Row, SqlParam } from "../port/db.ts";
import type { PostgresAddress } from "./address.ts";

/** Object identifiers of PostgreSQL's types (pg_type). */
const numberTypes = [20, 21, 23, 700, 701, 1700];
const boolType = 16;

/** Numbers are numbers, as SQLite returns them; conditions are 0 and 1; everything else is text. */
const types = {
  getTypeParser: (oid: number) => {
    if (numberTypes.includes(oid)) return Number;
    if (oid === boolType) return (text: string) => (text === "t" ? 1 : 0);
    return (text: string) => text;
  },
};

/** Limits of every session: a process that is stopped inside a transaction would block all the others. */
const sessionMs = { idle: 10_000, statement: 120_000, answer: 130_000 };
const connectMs = 10_000;

/** One session on the server. */
export interface Client {
  /** Rows that the statement returns, or changed. `?` are its parameters. */
  query(sql: string, params?: readonly SqlParam[]): Promise<{ rows: readonly Row[]; count: number }>;
  /** Runs any number of statements without parameters, in one round trip. Returns the first row of the last one. */
  exec(sql: string): Promise<Row | undefined>;
  /** True once the session has ended, by whatever cause. */
  readonly isOver: boolean;
  close(): Promise<void>;
}

/** Begins a session in the project's schema, which need not exist. `lockMs`: how long a statement waits for a lock. */
export async function connect(address: PostgresAddress, lockMs: number): Promise<Client> {
  const { config, schema } = address;
  const client = new pg.Client({
    ...config,
    types: types as pg.CustomTypesConfig,
    application_name: "ralph",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // Sends statements in order without waiting for the answers before.
    pipeline: true,
    query_timeout: sessionMs.answer,
    options: `-c search_path=${schema} -c statement_timeout=${sessionMs.statement} -c lock_timeout=${lockMs} -c idle_in_transaction_session_timeout=${sessionMs.idle} -c client_min_messages=warning`,
  });
  let isOver = false;
  // Without a listener the loss of an idle session would end this process.
  client.on("error", () => {
    isOver = true;
  });
  client.on("end", () => {
    isOver = true;
  });
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw postgresError(error, address, isOver);
    }
  };
  await guarded(() => client.connect());
  return {
    get isOver() {
      return isOver;
    },
    query: (sql, params = []) =>
      guarded(async () => {
        const values = params.map(asParam);
        const { rows, rowCount } = await client.query<Row>({ text: numbered(sql), values });
        return { rows, count: rowCount ?? 0 };
      }),
    exec: (sql) =>
      guarded(async () => {
        const results: unknown = await client.query<Row>(sql);
        return ((Array.isArray(results) ? results.at(-1) : results) as pg.QueryResult<Row>).rows[0];
      }),
    close: () => client.end(),
  };
}

/** A text on the server cannot hold the character 0. */
function asParam(value: SqlParam): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value);
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
}

const texts = new Map<string, string>();

/** Converts `?` to `$1`, `$2`, …, except in quotes. */
function numbered(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) {
    let at = 0;
    text = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (part) => {
      if (part !== "?") return part;
      at += 1;
      return `$${at}`;
    });
    if (texts.size < 2000) texts.set(sql, text);
  }
  return text;
}

/** Converts an error of the server or of the network into the `RalphError` for the user; returns other errors unchanged. */
function postgresError(error: unknown, { location }: PostgresAddress, isOver: boolean): unknown {
  if (error instanceof RalphError) return error;
  const code = codeOf(error);
  const fail = (
    name: "LOCKED" | "READ_ONLY" | "FULL" | "UNREACHABLE" | "INCOMPLETE",
    problem: string,
    hint: string,
  ): RalphError =>
    new RalphError(`RALPH_STORE_${name}`, `the store ${location} ${problem} (${messageOf(error)})`, {
      hint,
      cause: error,
    });
  if (code === "55P03") return fail("LOCKED", "is locked by another process", "run the command again");
  if (code === "42501" || code === "25006")
    return fail(
      "READ_ONLY",
      "cannot be written",
      "grant the user CREATE on the database, or the schema to it",
    );
  if (code === "53100" || code === "53200")
    return fail("FULL", "cannot grow", "free some space on the server");
  if (code === "42P01" || code === "42703")
    return fail("INCOMPLETE", "lacks a table or a column", "run `ralph status`, which brings it up to date");
  // Class 28: refused; 3D: no such database; 08, 57P, 25P03 (idle in a transaction): the session is lost.
  if (/^(28|3D)/.test(code))
    return fail("UNREACHABLE", "refuses this user", "check user, password and database of its address");
  if (
    isOver ||
    /^(08|57P|25P0[34]|E[A-Z]+$)/.test(code) ||
    /terminated|timeout expired|read timeout|not queryable/.test(messageOf(error))
  )
    return fail("UNREACHABLE", "cannot be reached", "check that the server runs, then run the command again");
  return error;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}
