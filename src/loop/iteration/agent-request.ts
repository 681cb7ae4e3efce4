import { join } from "node:path";
import type { Agent, AgentRequest, AgentResult } from "../../agents/port/agent.ts";
import type { PlannedAttempt } from "../../base/attempt-ref.ts";
import { makeFolders } from "../../base/careful-files.ts";
import { replaceSafe, type SafeText } from "../../base/safe-text.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { Iteration } from "../rows/iteration.ts";
import type { Loop, LoopSetup } from "../rows/loop.ts";
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

/** A question to an agent beside the one that works: its prompt holds all that it needs. */
interface Question {
  readonly agent: Agent;
  readonly model: string;
  readonly prompt: SafeText;
  readonly marker: string;
  /** The temporary folder in which it runs. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Ends it with the run, and at once; absent: only the run does. */
  readonly stop?: AbortSignal;
}

/** Runs an agent in an empty temporary folder, not in the project. */
export async function askAgent(
  loop: Pick<Loop, "forceStop" | "isolation" | "options" | "root" | "sandbox" | "stop">,
  iteration: Iteration,
  { agent, marker, timeoutMs, stop, ...asked }: Question,
): Promise<AgentResult> {
  const { cwd } = asked;
  makeFolders(cwd);
  const place = { marker, tmpDir: cwd, logFile: join(cwd, "session.log") };
  return agent.run({
    ...agentRequest(loop, { ...iteration, journal: null }, place),
    ...{ ...asked, allowedCommands: [], timeoutMs, idleTimeoutMs: timeoutMs },
    signal: stop ? AbortSignal.any([stop, loop.stop]) : loop.stop,
    forceSignal: stop ?? loop.forceStop,
  });
}

/** Puts the values in place of `{{name}}`. */
export function fillPrompt(template: SafeText, values: Readonly<Record<string, SafeText>>): SafeText {
  return replaceSafe(template, /\{\{(\w+)\}\}/g, (slot, name = slot) => values[name] ?? slot);
}
