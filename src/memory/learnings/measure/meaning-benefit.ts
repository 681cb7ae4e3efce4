import type { Meaning } from "../../../search/meaning.ts";
import { taskQuery } from "../../../search/query.ts";
import type { Reader } from "../../../store/db.ts";
import { getTask } from "../../../tasks/task-store.ts";
import { documentsOf } from "../store/learning-index.ts";
import { getLearnings } from "../store/read-learnings.ts";

/** How a model of meaning compares learnings that helped with others of the same prompts. */
export interface MeaningBenefit {
  /** Number of learnings that helped, each paired with every other learning of its prompt. */
  readonly pairs: number;
  /** Pairs in which the one that helped is more similar to the task. */
  readonly agreed: number;
}

/** Iterations that are compared, the latest ones: each takes a request to the endpoint. */
const maxIterations = 20;

/**
 * Compares an endpoint's similarities with the project's own record: a model that helps finds the learnings that helped
 * more similar to their task than the others of the prompt. Sends those tasks and learnings to the endpoint.
 *
 * @throws Error when the endpoint fails.
 */
export async function measureMeaning(q: Reader, meaning: Meaning): Promise<MeaningBenefit> {
  let [pairs, agreed] = [0, 0];
  for (const { taskId, shown } of await readPrompts(q)) {
    const task = await getTask(q, taskId);
    const documents = await documentsOf(q, await getLearnings(q, [...shown.keys()]));
    if (!task || documents.length < 2) continue;
    const cosines = await meaning.requested(q, taskQuery(task), documents);
    const similarities = (helped: boolean): readonly number[] =>
      cosines.filter((_, at) => shown.get(documents[at]?.id ?? "") === helped);
    for (const own of similarities(true)) {
      for (const other of similarities(false)) {
        pairs += 1;
        if (own > other) agreed += 1;
      }
    }
  }
  return { pairs, agreed };
}

interface Prompt {
  readonly taskId: string;
  /** The learnings of the prompt, with whether they helped. */
  readonly shown: ReadonlyMap<string, boolean>;
}

/** Reads the latest prompts of verified successes with a learning that helped and one that is not known to have. */
async function readPrompts(q: Reader): Promise<readonly Prompt[]> {
  const rows = await q.all<{ iteration: string; task: string; learning: string; helped: number }>(
    `SELECT i.iteration_id AS iteration, t.task_id AS task, i.memory_id AS learning,
       CASE WHEN i.verdict = 'helpful' THEN 1 ELSE 0 END AS helped
     FROM memory_injections i JOIN memory_trials t ON t.iteration_id = i.iteration_id
     WHERE t.iteration_id IN (
       SELECT iteration_id FROM memory_trials r WHERE held_out = 0 AND verification = 'passed'
         AND EXISTS (SELECT 1 FROM memory_injections x WHERE x.iteration_id = r.iteration_id AND x.verdict = 'helpful')
         AND EXISTS (SELECT 1 FROM memory_injections x WHERE x.iteration_id = r.iteration_id
           AND (x.verdict IS NULL OR x.verdict <> 'helpful'))
       ORDER BY began_at DESC, iteration_id DESC LIMIT ?)`,
    [maxIterations],
  );
  const prompts = new Map<string, { taskId: string; shown: Map<string, boolean> }>();
  for (const { iteration, task, learning, helped } of rows) {
    const prompt = prompts.get(iteration) ?? { taskId: task, shown: new Map<string, boolean>() };
    prompt.shown.set(learning, Number(helped) === 1);
    prompts.set(iteration, prompt);
  }
  return [...prompts.values()];
}
