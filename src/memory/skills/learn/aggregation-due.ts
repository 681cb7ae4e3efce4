import type { Reader } from "../../../store/port/db.ts";
import { allTopics, listProposals, listSkills } from "../store/skill-store.ts";
import { isFrequent } from "./draft-skill.ts";
import { topicKey } from "./topic-key.ts";

/**
 * Checks whether an aggregation is due (SKILL-1): `every` tasks (0: no number) were verified since the last one, in any run, or
 * a topic of their records may have reached the threshold of its first skill. Only reads.
 */
export async function aggregationDue(q: Reader, every: number): Promise<boolean> {
  const row = await q.get<{ since: string; n: number }>(
    `SELECT t.since, COUNT(DISTINCT r.task_id) AS n
     FROM (SELECT COALESCE(MAX(updated_at), '') AS since FROM skill_topics WHERE category = ?) AS t
     LEFT JOIN learning_records r ON r.verified = 1 AND r.recorded_at > t.since GROUP BY t.since`,
    [allTopics],
  );
  const { since, n } = row ?? { since: "", n: 0 };
  const tasks = Number(n);
  if (tasks === 0) return false;
  if (every > 0 && tasks >= every) return true;
  const reached = (await countsSince(q, since)).filter(isFrequent);
  if (reached.length === 0) return false;
  const proposed = new Set<string>([
    ...(await listSkills(q)).map(({ category }) => category),
    ...(await listProposals(q)).map(({ category }) => category),
  ]);
  return reached.some(({ category }) => !proposed.has(category));
}

interface TopicCounts {
  readonly category: string;
  /** The number of statements in verified attempts, and of the tasks of these. */
  readonly statements: number;
  readonly tasks: number;
}

/** Counts what verified attempts stated about the topics of newer records. */
async function countsSince(q: Reader, since: string): Promise<readonly TopicCounts[]> {
  const rows = await q.all<{ category: string; taskId: string; n: number; latest: string }>(
    `SELECT e.category, r.task_id AS "taskId", COUNT(*) AS n, MAX(r.recorded_at) AS latest
     FROM learning_record_entries e JOIN learning_records r ON r.id = e.record_id
     WHERE r.verified = 1 AND e.list IN ('successes','discoveries')
     GROUP BY e.category, r.task_id`,
  );
  const topics = new Map<string, { statements: number; tasks: Set<string>; isNew: boolean }>();
  const keys = new Map<string, string>();
  for (const { category, taskId, n, latest } of rows) {
    const key = keys.get(category) ?? topicKey(category);
    keys.set(category, key);
    const topic = topics.get(key) ?? { statements: 0, tasks: new Set<string>(), isNew: false };
    topic.statements += Number(n);
    topic.tasks.add(taskId);
    topic.isNew ||= latest > since;
    topics.set(key, topic);
  }
  return [...topics]
    .filter(([, { isNew }]) => isNew)
    .map(([category, { statements, tasks }]) => ({ category, statements, tasks: tasks.size }));
}
