import type { Reader } from "../../../store/port/db.ts";
import type { Evidence } from "../../port/skill-evidence.ts";
import { clusterPatterns } from "./cluster-patterns.ts";
import { statementsOf } from "./skill-lines.ts";

interface Use {
  readonly name: string;
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
}

/** Returns the evidence without what repeats a skill that the attempt's prompt showed or its agent read. Only reads. */
export async function withoutEchoes(q: Reader, evidence: readonly Evidence[]): Promise<readonly Evidence[]> {
  const uses = await q.all<Use>(
    `SELECT name, run_id AS "runId", task_id AS "taskId", attempt FROM skill_uses
     WHERE shown = 'body' OR loaded = 1`,
  );
  if (uses.length === 0) return evidence;
  const shown = new Map<string, Set<string>>();
  for (const use of uses) {
    const key = attemptKey(use);
    shown.set(key, (shown.get(key) ?? new Set<string>()).add(use.name));
  }
  const echoes = new Set<Evidence>();
  for (const name of new Set(uses.map((use) => use.name))) {
    const after = evidence.filter((one) => shown.get(attemptKey(one))?.has(name));
    for (const one of echoesOf(await statements(q, name), after)) echoes.add(one);
  }
  return evidence.filter((one) => !echoes.has(one));
}

function attemptKey({ runId, taskId, attempt }: Pick<Evidence, "runId" | "taskId" | "attempt">): string {
  return JSON.stringify([runId, taskId, attempt === null ? null : Number(attempt)]);
}

/** Returns all statements that the skill ever showed. */
async function statements(q: Reader, name: string): Promise<readonly string[]> {
  const rows = await q.all<{ body: string }>(
    `SELECT body FROM skills WHERE name = ?
     UNION SELECT body FROM skill_proposals WHERE name = ? AND status = 'accepted'`,
    [name, name],
  );
  return [...new Set(rows.flatMap(({ body }) => statementsOf(body)))];
}

function echoesOf(known: readonly string[], evidence: readonly Evidence[]): readonly Evidence[] {
  const clusters = clusterPatterns([
    ...known.map((text, at) => ({ id: `known ${at}`, text })),
    ...evidence.map(({ pattern }, at) => ({ id: String(at), text: pattern })),
  ]);
  return clusters
    .filter(({ members }) => members.some((id) => id.startsWith("known")))
    .flatMap(({ members }) => members.flatMap((id) => evidence[Number(id)] ?? []));
}
