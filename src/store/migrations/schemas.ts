import { attemptsSchema } from "./schema/attempts.ts";
import { learningsSchema } from "./schema/learnings.ts";
import { runsSchema } from "./schema/runs.ts";
import type { SchemaPart } from "./schema/schema-part.ts";
import { searchSchema } from "./schema/search.ts";
import { sharedMemoriesSchema } from "./schema/shared-memories.ts";
import { skillsSchema } from "./schema/skills.ts";
import { tasksSchema } from "./schema/tasks.ts";

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
