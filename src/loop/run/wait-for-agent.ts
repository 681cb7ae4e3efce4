import { type AgentChoice, type AgentLimit, type AgentLimits, pickAgent } from "../../agents/agent-limits.ts";
import type { Agent } from "../../agents/port/agent.ts";
import { record } from "../../events/event-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { readControl, setPaused } from "../rows/run-store.ts";

type Waiter = Pick<Loop, "clock" | "db" | "log" | "runId" | "stop">;

/**
 * Publishes that the run waits for `limit`, which an `earlier` run or this one met, and waits until it ends. Returns
 * sooner when the run is asked to stop or pause.
 */
export async function waitForAgent(loop: Waiter, limit: AgentLimit, earlier: boolean): Promise<void> {
  const { agent, model, kind, resetAt } = limit;
  const until = new Date(limit.until).toISOString();
  const waitMs = Math.max(0, limit.until - loop.clock.now().getTime());
  const message = `${agent} can be used again at ${until}`;
  const data = { agent, model, kind, message, until, resetAt, waitMs, earlier };
  loop.log.publish({ type: "limit.waiting", runId: loop.runId, data });
  // A pause is published before the wait continues.
  if (!(await sleepUntilControl(loop, limit.until))) return;
  loop.log.publish({ type: "limit.over", runId: loop.runId, data: { agent, model } });
}

interface AgentFallback {
  /** The substitute so far; null: none. */
  readonly before: string | null;
  readonly agent: string;
  readonly insteadOf: AgentLimit | null;
}

/** Publishes once that a substitute replaces a limited agent, and until when. Returns the substitute; null: none. */
export function publishFallback(
  loop: Pick<Loop, "log" | "runId">,
  { before, agent, insteadOf }: AgentFallback,
): string | null {
  if (!insteadOf) return null;
  if (agent !== before) {
    const until = new Date(insteadOf.until).toISOString();
    const data = { agent: insteadOf.agent, standIn: agent, kind: insteadOf.kind, until };
    loop.log.publish({ type: "limit.fallback", runId: loop.runId, data });
  }
  return agent;
}

/** One poll reads one row by its key: 0.1 ms. */
const pollMs = 500;

/**
 * Waits between two iterations while the run is paused. After `ralph stop` it waits until the stop takes effect, so that
 * no iteration begins. Returns the milliseconds that it waited.
 */
export async function waitWhilePaused(loop: Waiter): Promise<number> {
  const { db, runId, clock, stop } = loop;
  const request = await readControl(db, runId);
  if (request === null) return 0;
  const start = clock.monotonic();
  const isPaused = request === "pause";
  if (isPaused) await publishPause(loop, "run.paused", clock.now().toISOString());
  while (!stop.aborted && (await readControl(db, runId)) !== null) await clock.sleep(pollMs, stop);
  if (isPaused && !stop.aborted) await publishPause(loop, "run.resumed", null);
  return clock.monotonic() - start;
}

/**
 * Sleeps until the wall clock reaches `until` (milliseconds since the epoch), or until the run is asked to stop or pause.
 * Returns true when the time is reached. The clock is read repeatedly: it jumps forward after a suspend, and a clock that
 * is set back does not prolong the wait.
 */
export async function sleepUntilControl(loop: Waiter, until: number): Promise<boolean> {
  const end = loop.clock.monotonic() + until - loop.clock.now().getTime();
  while (!loop.stop.aborted && (await readControl(loop.db, loop.runId)) !== "pause") {
    const left = Math.min(end - loop.clock.monotonic(), until - loop.clock.now().getTime());
    if (left <= 0) return true;
    await loop.clock.sleep(Math.min(left, pollMs), loop.stop);
  }
  return false;
}

async function publishPause(
  loop: Waiter,
  type: "run.paused" | "run.resumed",
  pausedAt: string | null,
): Promise<void> {
  await commit(loop, async (tx) => {
    await setPaused(tx, loop.runId, pausedAt);
    await record(tx, { type, runId: loop.runId }, loop.clock.now());
  });
}

/** Returns a function that picks the first agent that no limit keeps from being called. */
export function availableAgents(
  { agents, clock }: Loop,
  { limits }: { readonly limits: AgentLimits },
): (model: (agent: Agent) => string | null) => AgentChoice {
  return (model) => pickAgent(agents, limits, { model, now: clock.now() });
}
