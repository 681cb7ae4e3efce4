import { count, oneLine } from "../base/text.ts";
import type { Tally } from "./model-history.ts";

export type StrategyName = "fixed" | "cost-optimized" | "escalate" | "plan-then-execute" | "adaptive";

/** All that a choice rests on. */
export interface ModelFacts {
  readonly strategy: StrategyName;
  /** Cheap, middle, strong; one or two names serve all three. */
  readonly tiers: readonly [string, ...string[]];
  readonly defaultModel: string;
  /** The model that a person set; it overrides the strategy. */
  readonly flagModel: string | null;
  /** Within the run, from 1. */
  readonly iteration: number;
  /** Of this task, in a row. */
  readonly failures: number;
  /** Failures in a row after which `escalate` goes one tier up. */
  readonly escalateAfter: number;
  readonly recent: Tally;
  /** Models that completed similar tasks of the same difficulty. */
  readonly similar: readonly string[];
  /** The model that an agent requested with `<next-model>`. */
  readonly nextModel: string | null;
  /** The plan of the strategy `adaptive`; null: too few prices are known, and it works as `escalate`. */
  readonly byPrice: Pick<ModelChoice, "model" | "rationale"> | null;
}

export interface ModelChoice {
  readonly model: string;
  /** One line, for the prompt, the event and people. */
  readonly rationale: string;
  /** True: the agent's `<next-model>` decided, not the strategy. */
  readonly overridden: boolean;
}

/** Fewer outcomes than this say nothing of how a project goes. */
const enoughOutcomes = 5;
const mostlyDone = 0.8;
const strongAfter = 2;

/** The model of the next attempt. A `<next-model>` counts when it names one of the agent's tiers, and only then. */
export function chooseModel(facts: ModelFacts): ModelChoice {
  const planned = byStrategy(facts);
  if (facts.nextModel === null) return { ...planned, overridden: false };
  const wanted = tierNamed(facts.nextModel, facts.tiers);
  if (wanted === undefined) {
    const ignored = `the agent asked for ${JSON.stringify(oneLine(facts.nextModel).slice(0, 40))}, which is none of its models`;
    return { ...planned, rationale: `${planned.rationale}; ${ignored}`, overridden: false };
  }
  const instead = wanted === planned.model ? "" : `, instead of ${planned.model}`;
  return {
    model: wanted,
    rationale: `override: the last attempt asked for ${wanted}${instead}`,
    overridden: true,
  };
}

/** The one tier that `name` means: the same name, or one of which the other is a part (`opus`, `claude-opus-4-1`). */
function tierNamed(name: string, tiers: readonly string[]): string | undefined {
  const wanted = name.trim().toLowerCase();
  const same = tiers.find((tier) => tier.toLowerCase() === wanted);
  if (same !== undefined) return same;
  const part = (whole: string, piece: string): boolean => whole.split(/[^a-z0-9.]+/).includes(piece);
  const close = tiers.filter((tier) => part(wanted, tier.toLowerCase()) || part(tier.toLowerCase(), wanted));
  return new Set(close).size === 1 ? close[0] : undefined;
}

type Plan = Pick<ModelChoice, "model" | "rationale">;

interface Tiers {
  readonly cheap: string;
  readonly middle: string;
  readonly strong: string;
}

/** With two names the cheaper one serves as the middle too: the dear one is for what it failed at. */
function tiersOf([cheap, second, third]: readonly [string, ...string[]]): Tiers {
  return { cheap, middle: third === undefined ? cheap : (second ?? cheap), strong: third ?? second ?? cheap };
}

function byStrategy(facts: ModelFacts): Plan {
  if (facts.flagModel !== null) return { model: facts.flagModel, rationale: "set by a person" };
  switch (facts.strategy) {
    case "fixed":
      return { model: facts.defaultModel, rationale: "fixed: the agent's own model" };
    case "cost-optimized":
      return costOptimized(facts);
    case "adaptive":
      return facts.byPrice ?? escalate(facts);
    case "escalate":
      return escalate(facts);
    case "plan-then-execute":
      return planThenExecute(facts);
  }
}

function costOptimized(facts: ModelFacts): Plan {
  const { cheap, middle, strong } = tiersOf(facts.tiers);
  const { failures, recent } = facts;
  const because = (model: string, why: string): Plan => ({ model, rationale: `cost-optimized: ${why}` });
  if (failures >= strongAfter) return because(strong, `strong tier after ${failures} failures in a row`);
  const proven = provenModel(facts);
  if (proven !== undefined && (failures === 0 || proven !== cheap || cheap === middle)) {
    return because(proven, "it completed similar tasks of the same difficulty");
  }
  if (failures === 0 && recent.total >= enoughOutcomes && recent.done / recent.total > mostlyDone) {
    return because(cheap, `cheap tier: ${recent.done} of the last ${recent.total} attempts were done`);
  }
  return because(middle, failures === 0 ? "middle tier to begin with" : "middle tier after 1 failure");
}

/** The tier that completed most of the similar tasks; the cheaper one of equals. */
function provenModel({ similar, tiers }: ModelFacts): string | undefined {
  let best: { model: string; wins: number } | undefined;
  for (const model of tiers) {
    const wins = similar.filter((used) => used === model).length;
    if (wins > (best?.wins ?? 0)) best = { model, wins };
  }
  return best?.model;
}

function escalate({ tiers, failures, escalateAfter }: ModelFacts): Plan {
  const model = tiers[Math.min(Math.floor(failures / escalateAfter), tiers.length - 1)] ?? tiers[0];
  const each = count(escalateAfter, "attempt");
  const why = failures === 0 ? "the cheapest model first" : `${each} per tier, ${failures} failed so far`;
  return { model, rationale: `escalate: ${why}` };
}

function planThenExecute({ tiers, iteration }: ModelFacts): Plan {
  const { middle, strong } = tiersOf(tiers);
  return iteration === 1
    ? { model: strong, rationale: "plan-then-execute: strong tier for the run's first iteration" }
    : { model: middle, rationale: "plan-then-execute: middle tier after the first iteration" };
}
