import type { AgentLimit } from "../../agents/agent-limits.ts";
import type { Loop } from "../rows/loop.ts";
import { sleepUntilControl } from "./run-control.ts";

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
