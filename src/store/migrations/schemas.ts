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

/** The tasks of every learning, from the prompts that showed it (LEARN-12). */
const countedTasks = `
WITH judged AS (
  SELECT i.memory_id AS id,
    MAX(t.outcome = 'done' AND t.verification = 'passed' AND COALESCE(i.verdict, '') <> 'harmful') AS passed,
    MAX(t.outcome <> 'done' AND t.verification IN ('failed','no_change')) AS failed
  FROM memory_injections i JOIN memory_trials t ON t.iteration_id = i.iteration_id
  WHERE i.held_out = 0 AND t.outcome IS NOT NULL GROUP BY i.memory_id, t.task_id
)
UPDATE learnings SET
  tasks_passed = (SELECT COUNT(*) FROM judged WHERE judged.id = learnings.id AND passed),
  tasks_failed = (SELECT COUNT(*) FROM judged WHERE judged.id = learnings.id AND failed AND NOT passed)
WHERE times_shown > 0;`;

export const projectSchema: StoreSchema = {
  parts: [tasksSchema, runsSchema, attemptsSchema, learningsSchema, skillsSchema, searchSchema],
  convert: [
    {
      toVersion: 100,
      sql: `
UPDATE tasks SET description = '' WHERE description IS NULL;
UPDATE tasks SET priority = 2 WHERE priority IS NULL;`,
    },
    { toVersion: 101, sql: countedTasks },
  ],
};

export const hivemindSchema: StoreSchema = { parts: [searchSchema, sharedMemoriesSchema], convert: [] };
