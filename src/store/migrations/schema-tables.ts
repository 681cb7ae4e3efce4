import type { SchemaTable } from "../port/dialect.ts";
import { projectSchema } from "./schemas.ts";

/** Returns the tables of a project's store. */
export function projectTables(): readonly SchemaTable[] {
  return projectSchema.parts.flatMap(({ tables }) =>
    tables.split(";").flatMap((sql): readonly SchemaTable[] => {
      const name = /^\s*CREATE TABLE IF NOT EXISTS (\w+)/.exec(sql)?.[1];
      const columns = [...sql.matchAll(/^ {4}([a-z_]+) [A-Z]/gm)].map(([, one = ""]) => one);
      return name === undefined ? [] : [{ name, columns }];
    }),
  );
}
