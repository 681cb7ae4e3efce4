import type { Agent } from "./port/agent.ts";
import { parseTier } from "./port/tiers.ts";

/** Weekly limits reset within seven days; a reset further ahead is a misreading. */
const maxWaitMs = 8 * 86_400_000;
/** Added to the stated reset, because clocks differ. */
const marginMs = 1000;
/** Jitter, so that runs stopped by the same limit do not all call again in the same second. */
const jitterShare = 0.05;
const maxJitterMs = 10_000;
/** How many stated resets in a row to trust before exponential back-off. */
const trustedResets = 3;
/** Consecutive tries without a result: 90 minutes of outage, a day of limits without a stated reset. */
const maxRetries = 24;
/** The first pause after a limit that only words state: a message may quote a limit. It doubles each time. */
const maxUnconfirmedMs = 3_600_000;

/** A limit that pauses an agent, or some of its models. */
export interface AgentLimit {
  readonly agent: string;
  /** A part of the names of the limited models; null: all of the agent's models. */
  readonly model: string | null;
  /** `rate_limit`, `overloaded` or `network`. */
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** The reset stated by the agent, ISO 8601. */
  readonly resetAt: string | null;
}

/** The facts of an interruption that determine when to call again. */
interface LimitFacts {
  readonly kind: string;
  /** ISO 8601. */
  readonly resetAt: string | null;
  /** `opus`, `sonnet`, …: the models that the limit names. */
  readonly limitedModel?: string | null;
  /** Only words state it, no event. */
  readonly byWords?: boolean;
}

/** When to call again, after how many interruptions. */
interface RetryFacts {
  /** The number of the interruption in a row, from 1. */
  readonly consecutive: number;
  readonly now: Date;
  /** 0 to 1, for jitter. */
  readonly random: number;
}

/** Limits by agent and model. */
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
  return pauses.flatMap(({ agent, model, kind, until, resetAt }) => {
    const at = Date.parse(until);
    // Not a time: ralph did not write it.
    return Number.isNaN(at) ? [] : [{ agent, model, kind, resetAt, until: Math.min(at, latest) }];
  });
}

/** Returns the rate limits of recorded pauses, by agent and model, so that a restart keeps them. */
export function rateLimitsOfPauses(pauses: readonly RecordedPause[], now: Date): AgentLimits {
  const limits: AgentLimits = new Map();
  for (const limit of limitsOfPauses(pauses, now)) if (limit.kind === "rate_limit") addLimit(limits, limit);
  return limits;
}

/** An agent with its available tiers: none of them is a limited model. */
interface AvailableAgent {
  readonly agent: Agent;
  readonly tiers: readonly [string, ...string[]];
}

export type AgentChoice =
  /** `insteadOf`: the limit of the list's first agent, if another agent was chosen. */
  | { readonly choice: AvailableAgent; readonly insteadOf: AgentLimit | null; readonly wait: null }
  /** All are limited; `wait` is the limit that ends first. */
  | { readonly choice: null; readonly wait: AgentLimit };

/**
 * Chooses the first agent that may be called now, with its available tiers. `model`: the only acceptable model, chosen by
 * a person or by the fixed strategy; null: any available tier is enough.
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

/** Replaces each limited tier with the nearest cheaper available one, else the nearest more expensive one. */
function freeTiers(tiers: AvailableAgent["tiers"], limits: readonly AgentLimit[]): AvailableAgent["tiers"] {
  const isFree = (tier: string) => !limits.some((limit) => appliesTo(limit, tier));
  const instead = (tier: string, at: number) => {
    if (isFree(tier)) return tier;
    return tiers.slice(0, at).reverse().find(isFree) ?? tiers.slice(at).find(isFree) ?? tier;
  };
  const [first, ...rest] = tiers;
  return [instead(first, 0), ...rest.map((tier, index) => instead(tier, index + 1))];
}

/** Returns the limit whose end makes one of `models` available; undefined if one is available now. */
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

/** Checks whether an interruption of this kind ends without a person's help. */
export function isTransient({ kind }: LimitFacts): boolean {
  return kind === "rate_limit" || kind === "overloaded" || kind === "network";
}

/**
 * Returns the limit that a session with the tier `used` met: it always applies to that tier, so that the session is not
 * started again at once. A limit of models that it did not use counts for the one that it used.
 */
export function limitMet(
  met: LimitFacts,
  used: { readonly agent: string; readonly model: string },
  facts: RetryFacts,
): AgentLimit {
  const named = met.limitedModel ?? null;
  const own = parseTier(used.model).model.toLowerCase();
  const model = named === null || used.model.toLowerCase().includes(named) ? named : own;
  const resetAt = isMisread(met, facts.now) ? null : met.resetAt;
  return { agent: used.agent, model, kind: met.kind, until: pauseUntil(met, facts), resetAt };
}

/**
 * Returns when to call an agent again after its `consecutive`th interruption in a row: at its stated reset, else after a
 * pause that doubles each time, from 1 minute to 1 hour for limits and from 5 seconds to 5 minutes for the network and
 * overload. A reset that is past or more than 8 days ahead is ignored; one that only words state is awaited for an hour
 * at first, then for twice as long each time. Milliseconds since the epoch.
 */
export function pauseUntil(interruption: LimitFacts, { consecutive, now, random }: RetryFacts): number {
  const stated = statedMs(interruption, now);
  const grown = backOffMs(interruption, stated === null ? consecutive : consecutive - trustedResets);
  const unconfirmed = maxUnconfirmedMs * 2 ** Math.min(consecutive - 1, 20);
  const believed = stated === null ? 0 : stated + marginMs;
  const wait = Math.max(interruption.byWords ? Math.min(believed, unconfirmed) : believed, grown);
  const jitter = random * Math.min(wait * jitterShare, maxJitterMs);
  return now.getTime() + Math.round(Math.min(wait + jitter, maxWaitMs));
}

/** Checks whether to stop retrying, after `maxRetries` consecutive tries without a result, whatever resets they stated. */
export function retriesExhausted(consecutive: number): boolean {
  return consecutive >= maxRetries;
}

/** Returns the milliseconds until the stated reset; null: there is none to wait for. */
function statedMs(facts: LimitFacts, now: Date): number | null {
  const ms = untilReset(facts, now);
  return ms > 0 && !isMisread(facts, now) ? ms : null;
}

function isMisread(facts: LimitFacts, now: Date): boolean {
  return untilReset(facts, now) > maxWaitMs;
}

function untilReset({ resetAt }: LimitFacts, now: Date): number {
  return resetAt === null ? 0 : Date.parse(resetAt) - now.getTime();
}

function backOffMs({ kind }: LimitFacts, times: number): number {
  if (times < 1) return 0;
  const [first, max] = kind === "rate_limit" ? [60_000, 3_600_000] : [5_000, 300_000];
  return Math.min(first * 2 ** Math.min(times - 1, 20), max);
}
