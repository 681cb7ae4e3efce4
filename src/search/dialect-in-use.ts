import type { IndexDialect } from "./index-dialect.ts";
import { sqliteIndex } from "./sqlite-index-store.ts";

/** The dialect of the store's database. A second database is chosen here. */
export const indexDialect: IndexDialect = sqliteIndex;
