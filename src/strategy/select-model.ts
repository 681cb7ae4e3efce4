import type { Reader } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { chooseModel, type ModelChoice, type StrategyName as Strategy } from "./choose-model.ts";
import { modelAskedByLastSuccess, modelsOfSimilarTasks, recentTally } from "./model-history.ts";
import { metricsOf } from "./strategy-store.ts";

export type StrategyName = Strategy;

interface ModelRequest {
  readonly strategy: StrategyName;
  /** The agent's models: cheap, middle, strong; one or two names serve all three. */
  readonly tiers: readonly [string, ...string[]];
  readonly defaultModel: string;
  /** The model that a person set; it overrides the strategy. */
  readonly flagModel: string | null;
  readonly task: Task;
  /** Number of the coming iteration within the run, from 1. */
  readonly iteration: number;
}

/**
 * The model for the task's next attempt, by the strategy and what earlier attempts came to. A failed attempt's
 * `<next-model>` holds for its task's retry, that of a finished one for the run's next iteration; each counts once,
 * and only when it names one of `tiers`. Reads only.
 */
export async function selectModel(q: Reader, request: ModelRequest): Promise<ModelChoice> {
  const { task, iteration } = request;
  const metrics = await metricsOf(q, task.id);
  const asked = metrics.nextModel ?? (iteration > 1 ? await modelAskedByLastSuccess(q) : null);
  const { difficulty } = metrics;
  return chooseModel({
    ...request,
    failures: metrics.consecutiveFailures,
    recent: await recentTally(q),
    similar: difficulty === null ? [] : await modelsOfSimilarTasks(q, task, difficulty),
    nextModel: asked,
  });
}
