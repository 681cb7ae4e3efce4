import type { AgentRequest } from "../port/agent.ts";
import { parseTier } from "../port/tiers.ts";

/** The variables in every agent's environment (IF-1). `RALPH_MARKER` is added where the process is started. */
export function iterationEnv(request: AgentRequest): Record<string, string> {
  const { model, effort } = parseTier(request.model);
  return {
    RALPH_TASK_ID: request.taskId,
    RALPH_RUN_ID: request.runId,
    RALPH_ITERATION: String(request.iteration),
    RALPH_ATTEMPT: String(request.attempt),
    RALPH_MODEL: model,
    ...(effort !== null && { RALPH_EFFORT: effort }),
    ...(request.journal && { RALPH_JOURNAL: request.journal.path }),
    TMPDIR: request.tmpDir,
    ...request.service?.env,
  };
}
