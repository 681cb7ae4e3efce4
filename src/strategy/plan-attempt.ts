import type { Reader } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import type { Offer } from "./choose-attempt.ts";
import { chooseModel, type ModelChoice, type StrategyName as Strategy } from "./choose-model.ts";
import { modelsOfSimilarTasks, recentAttempts } from "./model-history.ts";
import { type PriceSettings, planByPrice } from "./plan-by-price.ts";
import { metricsOf } from "./strategy-store.ts";

export type StrategyName = Strategy;

interface ModelSettings {
  readonly strategy: StrategyName;
  /** The model that a person set; it overrides the strategy. */
  readonly flagModel: string | null;
}

/** The first agent that may be called, with the models that it may be called with; or what to wait for. */
type Available<A, L> =
  | {
      readonly choice: { readonly agent: A; readonly tiers: readonly [string, ...string[]] };
      /** The limit of the list's first agent, if another agent was chosen; null: none. */
      readonly insteadOf: L | null;
      readonly wait: null;
    }
  | { readonly choice: null; readonly wait: L };

interface AgentModels {
  readonly name: string;
  readonly defaultModel: string;
}

/** The settings by which an attempt is planned. */
export interface PlanSettings extends ModelSettings, PriceSettings {
  readonly limits: PriceSettings["limits"] & { readonly escalateAfter: number };
}

interface PlanRequest<A, L> extends PlanSettings {
  readonly task: Task;
  /** Number of the coming iteration within the run, from 1. */
  readonly iteration: number;
  /** Returns the first agent that may be called now; `model`: the only model that it may be called with, null: any. */
  available(model: (agent: A) => string | null): Available<A, L>;
}

/** The agent and model of an attempt, and why. */
export interface AttemptPlan<A> extends ModelChoice {
  readonly agent: A;
  /** Cheap, middle, strong: the agent's models that may be called now; one or two names serve all three. */
  readonly tiers: readonly [string, ...string[]];
  /** The expectations of `adaptive` for each model, the chosen one first; empty: another strategy chose. */
  readonly offers: readonly Offer[];
  /** The value of the finished task by which `adaptive` decides; null: another strategy chose. */
  readonly valueUsd: number | null;
}

type Planned<A, L> =
  | {
      readonly plan: AttemptPlan<A>;
      readonly insteadOf: L | null;
      /** Why the attempt is not worth its price (STRAT-5), for a person; null: it is. */
      readonly giveUp: string | null;
    }
  /** No agent may be called before this limit ends. */
  | { readonly wait: L };

/**
 * Plans the task's next attempt by the agents that may be called, the strategy and what earlier attempts came to. A failed
 * attempt's `<next-model>` holds for its task's retry, that of a finished one for the run's next iteration; each counts once,
 * and only when it names one of the agent's models. Reads only.
 */
export async function planAttempt<A extends AgentModels, L>(
  q: Reader,
  request: PlanRequest<A, L>,
): Promise<Planned<A, L>> {
  const { task, iteration, strategy, flagModel } = request;
  const available = request.available(requiredModel(request));
  if (available.choice === null) return { wait: available.wait };
  const { agent, tiers } = available.choice;
  const metrics = await metricsOf(q, task.id);
  const recent = await recentAttempts(q);
  const { difficulty } = metrics;
  const isPriced = strategy === "adaptive" && flagModel === null;
  const byPrice = isPriced ? await planByPrice(q, { ...request, agent: agent.name, tiers }) : null;
  const model = chooseModel({
    ...request,
    ...{ tiers, byPrice },
    escalateAfter: Math.max(1, request.limits.escalateAfter),
    defaultModel: agent.defaultModel,
    failures: metrics.consecutiveFailures,
    recent,
    similar: difficulty === null ? [] : await modelsOfSimilarTasks(q, task, difficulty),
    nextModel: metrics.nextModel ?? (iteration > 1 ? recent.requested : null),
  });
  const plan = { agent, tiers, ...model, offers: byPrice?.offers ?? [], valueUsd: byPrice?.valueUsd ?? null };
  return { plan, insteadOf: available.insteadOf, giveUp: byPrice?.giveUp ?? null };
}

/** Returns a function of the only model that an agent may be called with, chosen by a person or fixed; null: any. */
export function requiredModel({ strategy, flagModel }: ModelSettings) {
  return ({ defaultModel }: Pick<AgentModels, "defaultModel">): string | null =>
    flagModel ?? (strategy === "fixed" ? defaultModel : null);
}
