import type { Agent } from "../agents/agent.ts";
import { latestPauses } from "../outcome/interruption-store.ts";
import type { Reader } from "../store/db.ts";

/** Weekly limits reset within seven days; a reset further ahead is a misreading. */
const longestWaitMs = 8 * 86_400_000;
/** A second past the stated reset, for clocks that differ. */
const marginMs = 1000;
/** So many runs that were stopped by one reset do not all call again in the same second. */
const jitterShare = 0.05;
const longestJitterMs = 10_000;
/** So often in a row a stated reset is taken at its word; from then on the pause grows as if there were none. */
const trusted = 3;
/** Tries in a row that brought no result, without a reset to wait for: an hour and a half of outage, a day of limits. */
const patience = 24;

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
interface Setback {
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

/** Limits that an earlier run met and that still hold, whatever agents it had: a restart forgets none. */
export async function openLimits(db: Reader, now: Date): Promise<AgentLimits> {
  const limits: AgentLimits = new Map();
  for (const limit of await limitsInForce(db, now)) if (limit.kind === "rate_limit") addLimit(limits, limit);
  return limits;
}

/** What agents are left alone for at `now`, soonest over first. */
export async function limitsInForce(db: Reader, now: Date): Promise<readonly AgentLimit[]> {
  const pauses = await latestPauses(db, now.toISOString());
  return pauses.map(({ agent, model, kind, until, resetAt }) => {
    const atMost = now.getTime() + longestWaitMs;
    return { agent, model, kind, resetAt, until: Math.min(Date.parse(until), atMost) };
  });
}

/** What of an agent may be chosen: among these tiers a strategy never meets a model that is limited. */
interface Choice {
  readonly agent: Agent;
  readonly tiers: readonly [string, ...string[]];
}

export type Pick =
  /** `insteadOf`: what keeps the first agent of the list from working, if this is another. */
  | { readonly choice: Choice; readonly insteadOf: AgentLimit | null; readonly wait: null }
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
): Pick {
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
  return { choice: null, wait: firstOver(blocked) };
}

/** The tiers, each that is limited replaced by the nearest cheaper one that is not, else by the nearest dearer one. */
function freeTiers(tiers: Choice["tiers"], limits: readonly AgentLimit[]): Choice["tiers"] {
  const isFree = (tier: string) => !limits.some((limit) => holdsFor(limit, tier));
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
    const its = limits.filter((limit) => holdsFor(limit, model));
    if (its.length === 0) return undefined;
    last.push(its.reduce((best, limit) => (limit.until > best.until ? limit : best)));
  }
  return firstOver(last);
}

function firstOver(limits: readonly AgentLimit[]): AgentLimit {
  return limits.reduce((best, limit) => (limit.until < best.until ? limit : best));
}

function holdsFor({ model }: AgentLimit, name: string): boolean {
  return model === null || name.toLowerCase().includes(model);
}

/** Whether an interruption of this kind passes by itself. */
export function passesByItself({ kind }: Setback): boolean {
  return kind === "rate_limit" || kind === "overloaded" || kind === "network";
}

/**
 * How long to leave an agent alone after its `inARow`th interruption in a row: until the reset that it stated (at most
 * 8 days), else doubling each time, from 1 minute to 1 hour for limits and from 5 seconds to 5 minutes for the network
 * and overload. A reset that has passed is none. `random`: 0 to 1, for jitter. Milliseconds since the epoch.
 */
export function pauseUntil(
  interruption: Setback,
  inARow: number,
  { now, random }: { readonly now: Date; readonly random: number },
): number {
  const stated = statedMs(interruption, now);
  const grown = doubling(interruption, stated === null ? inARow : inARow - trusted);
  const wait = Math.max(stated === null ? 0 : stated + marginMs, grown);
  const jitter = random * Math.min(wait * jitterShare, longestJitterMs);
  return now.getTime() + Math.round(Math.min(wait + jitter, longestWaitMs));
}

/** Whether to give up: the agent says no reset, and did not give a result so often in a row. */
export function patienceIsOver(interruption: Setback, inARow: number, now: Date): boolean {
  return inARow >= patience && statedMs(interruption, now) === null;
}

function statedMs({ resetAt }: Setback, now: Date): number | null {
  const ms = resetAt === null ? 0 : Date.parse(resetAt) - now.getTime();
  return ms > 0 ? ms : null;
}

function doubling({ kind }: Setback, times: number): number {
  if (times < 1) return 0;
  const [first, most] = kind === "rate_limit" ? [60_000, 3_600_000] : [5_000, 300_000];
  return Math.min(first * 2 ** Math.min(times - 1, 20), most);
}
