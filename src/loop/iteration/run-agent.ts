import { join, relative } from "node:path";
import type { AgentRequest, AgentResult, Steer } from "../../agents/port/agent.ts";
import { addressVariables, type RunRequest } from "../../service/protocol.ts";
import { openService, type Service } from "../../service/server.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import type { Iteration } from "../rows/iteration.ts";
import { recordCost } from "../rows/iteration-store.ts";
import { type Loop, sessionLog, sessionPrompt } from "../rows/loop.ts";
import { agentRequest } from "./agent-request.ts";
import { chooseAhead } from "./choose-ahead.ts";

/** Runs the iteration's agent, with background work beside it, and records what its session cost. Its messages and tools reach the run meanwhile. */
export async function runAgent(loop: Loop, iteration: Iteration): Promise<AgentResult> {
  const { number, iterationId, marker, tmpDir, remainingMs, leaseLost } = iteration;
  const journal = await loop.memory.createJournal(iteration.journal);
  const request = agentRequest(
    loop,
    { ...iteration, journal },
    { marker, tmpDir, logFile: sessionLog(loop, iteration) },
  );
  const service = await openService({
    ...{ folder: tmpDir, root: loop.root },
    answer: (asked) => loop.answer(asProject(loop, asked), iteration),
  });
  const { name } = iteration.agent;
  const live = loop.liveMessages.begin({ iterationId, taskId: iteration.taskId, agent: name });
  let steer: Steer | null = null;
  const agent = iteration.agent.run({
    ...request,
    service: reachedBy(service, loop),
    timeoutMs: shorter(request.timeoutMs, remainingMs),
    signal: AbortSignal.any([loop.stop, leaseLost]),
    forceSignal: loop.forceStop,
    onActivity: ({ kind, text }) => {
      loop.steps.keep(iterationId, text);
      const data = { iteration: number, kind, text };
      loop.log.publish({ type: "agent.activity", runId: loop.runId, data });
    },
    onSteerable: (given) => {
      steer = given;
    },
    onStart: () => {
      live.ready(steer);
      loop.background.postpone(`prompt ${iterationId}`, () => keepPrompt(loop, iteration));
      loop.background.postpone("choose", async () => chooseAhead(loop, iteration));
      // The files of the attempts before this one.
      loop.background.postpone("capture", () => loop.memory.finishCapture());
    },
  });
  const result = await loop.background
    .during(agent)
    .finally(() => live.end())
    .finally(() => service.close());
  await recordSession(loop, iteration, result);
  return result;
}

/** Reports the end of the agent, and stores what its session cost: that counts whatever happens next. */
async function recordSession(
  loop: Pick<Loop, "db" | "log" | "runId">,
  { iterationId, number }: Iteration,
  session: AgentResult,
): Promise<void> {
  const { durationMs, error, survivorsKilled, costUsd, contextUsed, contextSize, compactions } = session;
  const context = { contextUsed, contextSize, compactions };
  const data = { iteration: number, durationMs, error: error?.kind ?? null, survivorsKilled, ...context };
  loop.log.publish({ type: "agent.finished", runId: loop.runId, data });
  if (costUsd === null) return;
  // Not waited for on the disk: only a power cut loses it.
  await loop.db.transaction((tx) => recordCost(tx, iterationId, costUsd), { durable: false });
}

function reachedBy({ address, folders }: Service, { env: own }: Loop): AgentRequest["service"] {
  const { socket, nonce, root } = addressVariables;
  const env = { [socket]: address.socket, [nonce]: address.nonce, [root]: address.root, ...workerOf(own) };
  return { env, folders };
}

/** Stores the prompt as the agent gets it: redacted when it was composed. */
async function keepPrompt(loop: Loop, iteration: Iteration): Promise<void> {
  const { projectRoot: root } = loop;
  const path = sessionPrompt(loop, iteration);
  await writeFileSafely(path, iteration.prompt.prompt, { root, durable: false });
}

/** Returns a request as if it came from the same folder of the person's tree, whose store the slots share. */
function asProject({ root, projectRoot }: Loop, asked: RunRequest): RunRequest {
  if (asked.kind !== "command" || root === projectRoot) return asked;
  const inside = relative(root, asked.cwd);
  return inside.startsWith("..") ? asked : { ...asked, cwd: join(projectRoot, inside) };
}

/** Returns the variable with the number of a worker, from 0, by which servers choose their ports. */
function workerOf({
  RALPH_WORKER: worker,
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return worker === undefined ? {} : { RALPH_WORKER: worker };
}

function shorter(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
