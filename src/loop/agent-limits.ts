import type { Agent } from "../agents/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { Reader } from "../store/db.ts";
import type { Interruption } from "./interruption.ts";

/** Weekly limits reset within seven days; a reset further ahead is a misreading. */
const longestWaitMs = 8 * 86_400_000;
/** A second past the stated reset, for clocks that differ. */
const marginMs = 1000;

/** When each agent may be called again, by name, as a time in milliseconds since the epoch. */
export type AgentLimits = Map<string, number>;

/** Limits that an earlier run met and that still hold: waiting is not forgotten by a restart. */
export async function openLimits(db: Reader, clock: Clock): Promise<AgentLimits> {
  const rows = await db.all<{ agent: string | null; resetAt: string }>(
    `SELECT agent, MAX(reset_at) AS "resetAt" FROM interruptions
     WHERE kind = 'rate_limit' AND reset_at > ? GROUP BY agent`,
    [clock.now().toISOString()],
  );
  const named = rows.flatMap((row) =>
    row.agent ? [[row.agent, Date.parse(row.resetAt) + marginMs] as const] : [],
  );
  return new Map(named);
}

/** The first agent that may be called now, else the one that may be called soonest and when. */
export function pickAgent(
  agents: readonly [Agent, ...Agent[]],
  limits: AgentLimits,
  now: Date,
): { readonly agent: Agent; readonly waitUntil: number | null } {
  const at = (agent: Agent) => limits.get(agent.name) ?? 0;
  const free = agents.find((agent) => at(agent) <= now.getTime());
  if (free) return { agent: free, waitUntil: null };
  const soonest = agents.reduce((best, agent) => (at(agent) < at(best) ? agent : best), agents[0]);
  return { agent: soonest, waitUntil: at(soonest) };
}

/**
 * How long to leave an agent alone after an interruption: until the reset that it stated (at most 8 days), else
 * doubling with each interruption in a row: from 1 minute to 1 hour for limits, from 5 seconds to 5 minutes for the
 * network and overload. Milliseconds since the epoch.
 */
export function pauseUntil(interruption: Interruption, inARow: number, now: Date): number {
  if (interruption.resetAt !== null) {
    const wait = Date.parse(interruption.resetAt) + marginMs - now.getTime();
    return now.getTime() + Math.min(Math.max(wait, marginMs), longestWaitMs);
  }
  const [first, most] = interruption.kind === "rate_limit" ? [60_000, 3_600_000] : [5_000, 300_000];
  return now.getTime() + Math.min(first * 2 ** Math.max(0, inARow - 1), most);
}
