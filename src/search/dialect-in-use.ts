import type { Reader } from "../store/port/db.ts";
import type { IndexDialect } from "./index-dialect.ts";
import { postgresIndex } from "./postgres-index-store.ts";
import { sqliteIndex } from "./sqlite-index-store.ts";

const dialects: Readonly<Record<Reader["dialect"]["name"], IndexDialect>> = {
  sqlite: sqliteIndex,
  postgres: postgresIndex,
};

/** Returns the index's dialect of a store's database. */
export function indexDialect({ dialect }: Pick<Reader, "dialect">): IndexDialect {
  return dialects[dialect.name];
}
