import type { SafeText } from "../../../base/safe-text.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import { insertRow, readNumber } from "../../../store/port/rows.ts";
import type { SkillUse } from "./skill.ts";

/** Records the skills that a prompt shows, or that were withheld from it. They belong to one iteration. */
export async function insertSkillUses(tx: Tx, uses: readonly SkillUse[]): Promise<void> {
  for (const use of uses) await insertRow(tx, "skill_uses", rowOf(use));
}

/** The outcome of an iteration, for the skills of its prompt. */
export interface SkillResult {
  readonly iterationId: string;
  readonly runId: string;
  /** Null: ralph did not verify it. */
  readonly verified: boolean | null;
  readonly tokens: number | null;
  /** Names of the skills that its agent opened. */
  readonly loaded: readonly string[];
}

/** Records the outcome of an iteration with each skill that its prompt showed or lacked. */
export async function settleSkillUses(tx: Tx, result: SkillResult): Promise<void> {
  const { iterationId, verified, tokens, loaded } = result;
  const uses = await usesOf(tx, "WHERE iteration_id = ?", [iterationId]);
  if (uses.length === 0) return;
  for (const use of uses) {
    const row = rowOf({ ...use, verified, tokens, loaded: use.loaded || loaded.includes(use.name) });
    await tx.run(
      "UPDATE skill_uses SET loaded = ?, verified = ?, tokens = ? WHERE name = ? AND iteration_id = ?",
      [row.loaded, row.verified, row.tokens, row.name, row.iteration_id],
    );
  }
}

/** Permanently deletes the uses of a run. Returns their number. */
export async function eraseSkillUses(tx: Tx, runId: string): Promise<number> {
  const gone = await usesOf(tx, "WHERE run_id = ?", [runId]);
  if (gone.length === 0) return 0;
  await tx.run("DELETE FROM skill_uses WHERE run_id = ?", [runId]);
  return gone.length;
}

/** Returns the uses of all skills, or of one, oldest first. */
export async function listSkillUses(q: Reader, name?: string): Promise<readonly SkillUse[]> {
  return name === undefined ? usesOf(q, "", []) : usesOf(q, "WHERE name = ?", [name]);
}

export async function countSkillUses(q: Reader, runId: string): Promise<number> {
  return readNumber(q, "SELECT COUNT(*) AS n FROM skill_uses WHERE run_id = ?", [runId]);
}

/** Counts the different skills that the prompts of a run showed. */
export async function countShownSkills(q: Reader, runId: string): Promise<number> {
  return readNumber(
    q,
    "SELECT COUNT(DISTINCT name) AS n FROM skill_uses WHERE run_id = ? AND shown <> 'withheld'",
    [runId],
  );
}

interface UseRow extends Omit<SkillUse, "loaded" | "verified"> {
  /** Written by `rowOf`. */
  readonly name: SafeText;
  readonly loaded: number;
  readonly verified: number | null;
}

async function usesOf(q: Reader, where: string, values: readonly string[]): Promise<readonly SkillUse[]> {
  const rows = await q.all<UseRow>(
    `SELECT name, iteration_id AS "iterationId", run_id AS "runId", task_id AS "taskId", attempt, shown, loaded,
       verified, tokens, created_at AS "createdAt" FROM skill_uses ${where} ORDER BY created_at, iteration_id, name`,
    values,
  );
  return rows.map((row) => ({
    ...row,
    attempt: Number(row.attempt),
    loaded: Number(row.loaded) === 1,
    verified: row.verified === null ? null : Number(row.verified) === 1,
    tokens: row.tokens === null ? null : Number(row.tokens),
  }));
}

function rowOf(use: SkillUse) {
  return {
    name: use.name,
    iteration_id: use.iterationId,
    run_id: use.runId,
    task_id: use.taskId,
    attempt: use.attempt,
    shown: use.shown,
    loaded: use.loaded ? 1 : 0,
    verified: use.verified === null ? null : use.verified ? 1 : 0,
    tokens: use.tokens,
    created_at: use.createdAt,
  };
}
