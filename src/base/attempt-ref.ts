/** Identifies an attempt at a task that a run makes. */
export interface PlannedAttempt {
  readonly runId: string;
  readonly taskId: string;
  /** The task's attempt number, from 1. A reset does not restart it. */
  readonly attempt: number;
}

/** Identifies an attempt and the iteration that makes it. */
export interface AttemptRef extends PlannedAttempt {
  readonly iterationId: string;
}

/** Returns the identifying fields of `source` alone. */
export function attemptRef({ runId, iterationId, taskId, attempt }: AttemptRef): AttemptRef {
  return { runId, iterationId, taskId, attempt };
}
