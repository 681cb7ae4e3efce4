import type { AgentRequest } from "../../agents/port/agent.ts";
import type { PlannedAttempt } from "../../base/attempt-ref.ts";
import type { SafeText } from "../../base/safe-text.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { LoopSetup } from "../rows/loop.ts";
import { verifyCommandsFor } from "./verify-commands.ts";

interface Attempt extends PlannedAttempt {
  readonly task: Task;
  /** Of the iteration within the run, from 1. */
  readonly number: number;
  readonly model: string;
  readonly prompt: { readonly prompt: SafeText };
  readonly journal: AgentRequest["journal"];
}

/** Returns the request that starts an attempt's agent, with the configured limits and nothing that stops it early. */
export function agentRequest(
  loop: Pick<LoopSetup, "root" | "isolation" | "sandbox" | "options">,
  { runId, taskId, attempt, task, number, model, prompt, journal }: Attempt,
  place: Pick<AgentRequest, "marker" | "tmpDir" | "logFile">,
): AgentRequest {
  const { taskTimeoutMs, idleTimeoutMs } = loop.options.limits;
  return {
    runId,
    taskId,
    attempt,
    iteration: number,
    model,
    ...place,
    prompt: prompt.prompt,
    journal,
    service: null,
    cwd: loop.root,
    allowedCommands: [...verifyCommandsFor(loop, { task }).map(({ run }) => run), ...loop.options.allow],
    timeoutMs: taskTimeoutMs > 0 ? taskTimeoutMs : null,
    idleTimeoutMs: idleTimeoutMs > 0 ? idleTimeoutMs : null,
    signal: new AbortController().signal,
    isolation: loop.isolation,
    sandbox: loop.sandbox,
    onActivity: () => undefined,
  };
}
