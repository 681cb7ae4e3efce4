import type { AgentRequest, AgentResult, Steer } from "../../agents/port/agent.ts";
import { addressVariables } from "../../service/protocol.ts";
import { openService, type Service } from "../../service/server.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import { stepWriter } from "../rows/current-step.ts";
import { recordCost } from "../rows/iteration-store.ts";
import { type Loop, sessionLog, sessionPrompt } from "../rows/loop.ts";
import { agentRequest } from "./agent-request.ts";
import type { Iteration } from "./begin-iteration.ts";

interface SessionLimits {
  /** Milliseconds until the run's deadline; null: it has none. */
  readonly remainingMs: number | null;
  /** Aborted when another process took the claim: the agent is stopped. */
  readonly leaseLost: AbortSignal;
  /** Puts back what the agent may not rewrite. */
  restore(): Promise<unknown>;
}

/** Runs the iteration's agent, puts back what it may not rewrite, and records what the session cost. Background work runs meanwhile. */
export async function runAgent(
  loop: Loop,
  iteration: Iteration,
  { remainingMs, leaseLost, restore }: SessionLimits,
): Promise<AgentResult> {
  const { number, iterationId, marker, tmpDir } = iteration;
  const publish = (type: "agent.activity" | "agent.finished", data: Record<string, string | number | null>) =>
    loop.log.publish({ type, runId: loop.runId, data: { iteration: number, ...data } });
  const journal = await loop.memory.createJournal(iteration.journal);
  const request = agentRequest(
    loop,
    { ...iteration, journal },
    { marker, tmpDir, logFile: sessionLog(loop, iteration) },
  );
  const service = await openService({
    ...{ folder: tmpDir, root: loop.root },
    answer: (asked) => loop.answer(asked, iteration),
  });
  const steps = stepWriter(loop, iterationId);
  const { name } = iteration.agent;
  const live = loop.liveMessages.begin({ iterationId, taskId: iteration.taskId, agent: name });
  let steer: Steer | null = null;
  const agent = iteration.agent.run({
    ...request,
    service: reachedBy(service),
    timeoutMs: shorter(request.timeoutMs, remainingMs),
    signal: AbortSignal.any([loop.stop, leaseLost]),
    forceSignal: loop.forceStop,
    onActivity: ({ kind, text }) => {
      steps.keep(text);
      publish("agent.activity", { kind, text });
    },
    onSteerable: (given) => {
      steer = given;
    },
    onStart: () => {
      live.ready(steer);
      loop.background.postpone(`prompt ${iterationId}`, () => keepPrompt(loop, iteration));
      // The files of the attempts before this one.
      loop.background.postpone("capture", () => loop.memory.finishCapture());
    },
  });
  const result = await loop.background
    .during(agent)
    .finally(() => live.end())
    .finally(() => service.close());
  steps.end();
  const [restored] = await Promise.allSettled([restore()]);
  const { durationMs, error, survivorsKilled, costUsd, contextUsed, contextSize, compactions } = result;
  const context = { contextUsed, contextSize, compactions };
  publish("agent.finished", { durationMs, error: error?.kind ?? null, survivorsKilled, ...context });
  if (costUsd !== null) {
    // Not waited for on the disk: only a power cut loses it.
    await loop.db.transaction((tx) => recordCost(tx, iterationId, costUsd), { durable: false });
  }
  // As without git's folder: what the session cost counts even then.
  if (restored.status === "rejected") throw restored.reason;
  return result;
}

function reachedBy({ address, folders }: Service): AgentRequest["service"] {
  const { socket, nonce, root } = addressVariables;
  const env = { [socket]: address.socket, [nonce]: address.nonce, [root]: address.root };
  return { env, folders };
}

/** Stores the prompt as the agent gets it: redacted when it was composed. */
async function keepPrompt(loop: Loop, iteration: Iteration): Promise<void> {
  const { root } = loop;
  const path = sessionPrompt(loop, iteration);
  await writeFileSafely(path, iteration.prompt.prompt, { root, durable: false });
}

function shorter(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
