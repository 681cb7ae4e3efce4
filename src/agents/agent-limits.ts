import type { Agent } from "./agent.ts";

/** Weekly limits reset within seven days; a reset further ahead is a misreading. */
const maxWaitMs = 8 * 86_400_000;
/** A second past the stated reset, for clocks that differ. */
const marginMs = 1000;
/** So many runs that were stopped by one reset do not all call again in the same second. */
const jitterShare = 0.05;
const maxJitterMs = 10_000;
/** So often in a row a stated reset is taken at its word; from then on the pause grows as if there were none. */
const trustedResets = 3;
/** Tries in a row that brought no result, without a reset to wait for: an hour and a half of outage, a day of limits. */
const maxRetries = 24;

/** Why an agent, or some of its models, is left alone for a while. */
export interface AgentLimit {
  readonly agent: string;
  /** Part of the names of the models that it holds for; null: all of the agent's. */
  readonly model: string | null;
  /** `rate_limit`, `overloaded` or `network`. */
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** What the agent said, ISO 8601. */
  readonly resetAt: string | null;
}

/** What an interruption says about calling again. */
interface LimitFacts {
  readonly kind: string;
  /** ISO 8601. */
  readonly resetAt: string | null;
}

/** By agent and model. */
export type AgentLimits = Map<string, AgentLimit>;

/** Adds `limit`, in place of an earlier one of the same agent and model. */
export function addLimit(limits: AgentLimits, limit: AgentLimit): void {
  limits.set(JSON.stringify([limit.agent, limit.model]), limit);
}

/** A recorded pause: `until` as ISO 8601. */
interface RecordedPause extends Omit<AgentLimit, "until"> {
  readonly until: string;
}

/** Returns the limits of recorded pauses at `now`, in their order; none lasts longer than eight days from now. */
export function limitsOfPauses(pauses: readonly RecordedPause[], now: Date): readonly AgentLimit[] {
  const latest = now.getTime() + maxWaitMs;
  return pauses.map(({ agent, model, kind, until, resetAt }) => {
    return { agent, model, kind, resetAt, until: Math.min(Date.parse(until), latest) };
  });
}

/** Returns the rate limits of recorded pauses, by agent and model, so that a restart forgets none. */
export function rateLimitsOfPauses(pauses: readonly RecordedPause[], now: Date): AgentLimits {
  const limits: AgentLimits = new Map();
  for (const limit of limitsOfPauses(pauses, now)) if (limit.kind === "rate_limit") addLimit(limits, limit);
  return limits;
}

/** What of an agent may be chosen: among these tiers a strategy never meets a model that is limited. */
interface AvailableAgent {
  readonly agent: Agent;
  readonly tiers: readonly [string, ...string[]];
}

export type AgentChoice =
  /** `insteadOf`: what keeps the first agent of the list from working, if this is another. */
  | { readonly choice: AvailableAgent; readonly insteadOf: AgentLimit | null; readonly wait: null }
  /** All are limited; this one is over first. */
  | { readonly choice: null; readonly wait: AgentLimit };

/**
 * The first agent that may be called now, with the tiers that may. `model`: the one model that is wanted, by a person
 * or by the fixed strategy; else an agent with a free tier counts as free.
 */
export function pickAgent(
  agents: readonly [Agent, ...Agent[]],
  limits: AgentLimits,
  { model, now }: { readonly model: (agent: Agent) => string | null; readonly now: Date },
): AgentChoice {
  const inForce = [...limits.values()].filter(({ until }) => until > now.getTime());
  const blocked: AgentLimit[] = [];
  for (const agent of agents) {
    const its = inForce.filter((limit) => limit.agent === agent.name);
    const wanted = model(agent);
    const blocking = blockingLimit(its, wanted === null ? agent.tiers : [wanted]);
    if (!blocking) {
      return {
        choice: { agent, tiers: freeTiers(agent.tiers, its) },
        insteadOf: blocked[0] ?? null,
        wait: null,
      };
    }
    blocked.push(blocking);
  }
  return { choice: null, wait: firstToReset(blocked) };
}

/** The tiers, each that is limited replaced by the nearest cheaper one that is not, else by the nearest dearer one. */
function freeTiers(tiers: AvailableAgent["tiers"], limits: readonly AgentLimit[]): AvailableAgent["tiers"] {
  const isFree = (tier: string) => !limits.some((limit) => appliesTo(limit, tier));
  const instead = (tier: string, at: number) => {
    if (isFree(tier)) return tier;
    return tiers.slice(0, at).reverse().find(isFree) ?? tiers.slice(at).find(isFree) ?? tier;
  };
  const [first, ...rest] = tiers;
  return [instead(first, 0), ...rest.map((tier, index) => instead(tier, index + 1))];
}

/** The limit whose end lets one of `models` be called again; undefined when one can be now. */
function blockingLimit(limits: readonly AgentLimit[], models: readonly string[]): AgentLimit | undefined {
  const last: AgentLimit[] = [];
  for (const model of models) {
    const its = limits.filter((limit) => appliesTo(limit, model));
    if (its.length === 0) return undefined;
    last.push(its.reduce((best, limit) => (limit.until > best.until ? limit : best)));
  }
  return firstToReset(last);
}

function firstToReset(limits: readonly AgentLimit[]): AgentLimit {
  return limits.reduce((best, limit) => (limit.until < best.until ? limit : best));
}

function appliesTo({ model }: AgentLimit, name: string): boolean {
  return model === null || name.toLowerCase().includes(model);
}

/** Whether an interruption of this kind passes by itself. */
export function isTransient({ kind }: LimitFacts): boolean {
  return kind === "rate_limit" || kind === "overloaded" || kind === "network";
}

/**
 * How long to leave an agent alone after its `inARow`th interruption in a row: until the reset that it stated (at most
 * 8 days), else doubling each time, from 1 minute to 1 hour for limits and from 5 seconds to 5 minutes for the network
 * and overload. A reset that has passed is none. `random`: 0 to 1, for jitter. Milliseconds since the epoch.
 */
export function pauseUntil(
  interruption: LimitFacts,
  inARow: number,
  { now, random }: { readonly now: Date; readonly random: number },
): number {
  const stated = statedMs(interruption, now);
  const grown = backOffMs(interruption, stated === null ? inARow : inARow - trustedResets);
  const wait = Math.max(stated === null ? 0 : stated + marginMs, grown);
  const jitter = random * Math.min(wait * jitterShare, maxJitterMs);
  return now.getTime() + Math.round(Math.min(wait + jitter, maxWaitMs));
}

/** Whether to give up: the agent says no reset, and did not give a result so often in a row. */
export function retriesExhausted(interruption: LimitFacts, inARow: number, now: Date): boolean {
  return inARow >= maxRetries && statedMs(interruption, now) === null;
}

function statedMs({ resetAt }: LimitFacts, now: Date): number | null {
  const ms = resetAt === null ? 0 : Date.parse(resetAt) - now.getTime();
  return ms > 0 ? ms : null;
}

function backOffMs({ kind }: LimitFacts, times: number): number {
  if (times < 1) return 0;
  const [first, most] = kind === "rate_limit" ? [60_000, 3_600_000] : [5_000, 300_000];
  return Math.min(first * 2 ** Math.min(times - 1, 20), most);
}
