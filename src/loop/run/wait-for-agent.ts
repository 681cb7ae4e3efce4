import type { AgentLimit } from "../../agents/agent-limits.ts";
import type { Loop } from "../loop.ts";
import { sleepUntilControl } from "../run-control.ts";

/** Waits until `limit`, which an `earlier` run or this one met, is over, telling so; returns sooner when the run is to stop or to pause. */
export async function waitForAgent(loop: Loop, limit: AgentLimit, earlier: boolean): Promise<void> {
  const { agent, model, kind, resetAt } = limit;
  const until = new Date(limit.until).toISOString();
  const waitMs = Math.max(0, limit.until - loop.clock.now().getTime());
  const message = `${agent} can be used again at ${until}`;
  const data = { agent, model, kind, message, until, resetAt, waitMs, earlier };
  loop.log.publish({ type: "limit.waiting", runId: loop.runId, data });
  // A pause is told before the wait goes on.
  if (!(await sleepUntilControl(loop, limit.until))) return;
  loop.log.publish({ type: "limit.over", runId: loop.runId, data: { agent, model } });
}

interface AgentFallback {
  /** Which one stood in so far. */
  readonly before: string | null;
  readonly agent: string;
  readonly insteadOf: AgentLimit | null;
}

/** Says once when another agent than the first works, and until when. Returns which one stands in now, if any. */
export function publishFallback(loop: Loop, { before, agent, insteadOf }: AgentFallback): string | null {
  if (!insteadOf) return null;
  if (agent !== before) {
    const until = new Date(insteadOf.until).toISOString();
    const data = { agent: insteadOf.agent, standIn: agent, kind: insteadOf.kind, until };
    loop.log.publish({ type: "limit.fallback", runId: loop.runId, data });
  }
  return agent;
}
