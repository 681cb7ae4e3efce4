import { type AgentLimit, addLimit, limitMet, retriesExhausted } from "../../agents/agent-limits.ts";
import type { InterruptedEnd } from "../iteration/interruption.ts";
import type { Loop } from "../rows/loop.ts";
import type { RunState } from "./run-state.ts";
import { type RunStop, stopWith } from "./stop-rules.ts";

/** The maximum number of consecutive iterations that lose their claim. */
const maxLostClaims = 8;
/** Paid sessions of an agent in a row that may end in an interruption before they count towards --max-iterations. */
const maxFreeSessions = 3;

type InterruptedSession = Omit<InterruptedEnd, "kind">;

/**
 * Records an interruption in the state of the run. Returns the end of the run; or a limit, when it must wait before the
 * same agent is called again to confirm what its words say; undefined: it continues, with the limits of `state`.
 */
export function afterInterruption(
  loop: Pick<Loop, "clock" | "stop">,
  state: RunState,
  end: InterruptedSession,
): RunStop | AgentLimit | undefined {
  const { kind, message, hint, blocksTask } = end.interruption;
  if (blocksTask) {
    // A session that cannot be verified was as long as an attempt's.
    if (end.sessionMs > 0) state.paidInterruptions += 1;
    return undefined;
  }
  if (end.interruption.isFault) return afterFault(state, end);
  switch (kind) {
    case "cancelled":
      if (loop.stop.aborted) return stopWith("stopped");
      // The task was failed or claimed by another. An agent that causes this repeatedly must not run forever.
      state.lostClaims += 1;
      return state.lostClaims > maxLostClaims ? stopWith("agent-unavailable", message, hint) : undefined;
    case "deadline":
      return stopWith("max-duration");
    case "auth":
    case "credit":
    case "not_found":
    case "permission":
    case "unusable":
    case "cannot-verify":
      // Words alone may be a quote: they end a run only when the agent's next session says so too.
      if (end.interruption.byWords && !state.doubted.has(end.agent)) return doubt(loop, state, end);
      return stopWith(kind, message, hint);
    default: {
      const consecutive = countInterruption(state, end);
      if (retriesExhausted(consecutive)) {
        return stopWith("agent-unavailable", `${consecutive} consecutive attempts failed: ${message}`, hint);
      }
      addLimit(state.limits, end.limit ?? retryLater(loop, end, consecutive));
      return undefined;
    }
  }
}

/** Ends the run when two tasks in a row met the same fault of the agent: the others would, too (LOOP-26). */
function afterFault(
  state: RunState,
  { taskId, interruption, costUsd }: InterruptedSession,
): RunStop | undefined {
  const { faults } = state;
  const { message, hint } = interruption;
  if ((costUsd ?? 0) > 0) state.paidInterruptions += 1;
  const before = faults.last;
  faults.tasks.add(taskId);
  faults.last = { taskId, message };
  if (!before || before.taskId === taskId || sameFault(before.message) !== sameFault(message))
    return undefined;
  return stopWith("unusable", `two tasks in a row ended with: ${message}`, hint);
}

/** Returns an error's words without what differs from call to call. */
function sameFault(message: string): string {
  return message.replace(/[\d.:]+|0x[\da-f]+|[\da-f]{8,}/gi, "#");
}

function doubt(loop: Pick<Loop, "clock">, state: RunState, end: InterruptedSession): AgentLimit {
  const consecutive = countInterruption(state, end);
  state.doubted.add(end.agent);
  return retryLater(loop, end, consecutive);
}

/** Returns the number of the agent's interruption in a row. */
function countInterruption(state: RunState, { agent, costUsd }: InterruptedSession): number {
  const consecutive = (state.interruptions.get(agent) ?? 0) + 1;
  state.interruptions.set(agent, consecutive);
  state.doubted.delete(agent);
  if (consecutive > maxFreeSessions && (costUsd ?? 0) > 0) state.paidInterruptions += 1;
  return consecutive;
}

/** Returns a short pause of the whole agent, so that it is never called again at once. */
function retryLater(
  { clock }: Pick<Loop, "clock">,
  { agent, interruption }: InterruptedSession,
  consecutive: number,
): AgentLimit {
  const met = { kind: interruption.kind, resetAt: null };
  return limitMet(met, { agent, model: "" }, { consecutive, now: clock.now(), random: Math.random() });
}
