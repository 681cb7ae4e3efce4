import { attemptsSchema } from "./attempts.ts";
import { learningsSchema } from "./learnings.ts";
import { runsSchema } from "./runs.ts";
import type { SchemaPart } from "./schema-part.ts";
import { searchSchema } from "./search.ts";
import { sharedMemoriesSchema } from "./shared-memories.ts";
import { skillsSchema } from "./skills.ts";
import { tasksSchema } from "./tasks.ts";

/** A store's schema, in the order of creation. */
export interface StoreSchema {
  readonly parts: readonly SchemaPart[];
  /** Statements that convert the rows of a store of an older schema, after its tables are complete. */
  readonly convert: readonly { readonly toVersion: number; readonly sql: string }[];
}

export const projectSchema: StoreSchema = {
  parts: [tasksSchema, runsSchema, attemptsSchema, learningsSchema, skillsSchema, searchSchema],
  convert: [
    {
      toVersion: 100,
      sql: `
UPDATE tasks SET description = '' WHERE description IS NULL;
UPDATE tasks SET priority = 2 WHERE priority IS NULL;`,
    },
  ],
};

export const hivemindSchema: StoreSchema = { parts: [searchSchema, sharedMemoriesSchema], convert: [] };
