/** Identifies one attempt at a task, and the iteration that makes it. */
export interface AttemptRef {
  readonly runId: string;
  readonly iterationId: string;
  readonly taskId: string;
  /** The task's attempt number, from 1. A reset does not restart it. */
  readonly attempt: number;
}

/** Returns the identifying fields of `source` alone. */
export function attemptRef({ runId, iterationId, taskId, attempt }: AttemptRef): AttemptRef {
  return { runId, iterationId, taskId, attempt };
}
