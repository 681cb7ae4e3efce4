import type { ClientConfig } from "pg";
import { RalphError } from "../../base/errors.ts";

/** Where a store on a server is. */
export interface PostgresAddress {
  readonly config: ClientConfig;
  /** The schema that holds the project's tables. */
  readonly schema: string;
  /** For messages: without a password. */
  readonly location: string;
}

const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Reads `postgres://user@host:port/database?schema=shop`. A user or a password that it does not state comes from PGUSER and ~/.pgpass.
 *
 * @throws RalphError `RALPH_CONFIG_STORE_URL`
 */
export function postgresAddress(text: string): PostgresAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw badUrl("it cannot be read", "write postgres://user@host:5432/database?schema=shop");
  }
  const schema = url.searchParams.get("schema") ?? "";
  if (!schemaName.test(schema))
    throw badUrl(
      schema === "" ? "it names no schema" : `the schema ${JSON.stringify(schema)} is no plain name`,
      "end it with ?schema=shop, a name of lower-case letters, digits and _ that only this project uses",
    );
  if (url.hostname === "")
    throw badUrl("it names no host", "write postgres://user@host:5432/database?schema=shop");
  const host = decodeURIComponent(url.hostname);
  const config: ClientConfig = {
    host,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    ...(url.username === "" ? {} : { user: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.pathname.length < 2 ? {} : { database: decodeURIComponent(url.pathname.slice(1)) }),
    ssl: isLocal(host) ? false : { rejectUnauthorized: true },
  };
  const place = `${host}${url.port === "" ? "" : `:${url.port}`}${url.pathname}`;
  return { config, schema, location: `postgres://${place}?schema=${schema}` };
}

/** TLS is verified except where nothing leaves the machine. */
function isLocal(host: string): boolean {
  return host.startsWith("/") || ["localhost", "127.0.0.1", "[::1]"].includes(host);
}

function badUrl(why: string, hint: string): RalphError {
  return new RalphError("RALPH_CONFIG_STORE_URL", `the address of the store is not valid: ${why}`, { hint });
}
