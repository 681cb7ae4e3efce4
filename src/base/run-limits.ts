/** The limits of a run and of its tasks, as the settings `limits.*` and their flags set them. 0 or null: no limit. */
export interface RunLimits {
  readonly maxIterations: number;
  readonly maxAttempts: number;
  readonly stuckAfter: number;
  readonly budgetUsd: number | null;
  readonly maxDurationMs: number | null;
  readonly taskTimeoutMs: number;
  readonly idleTimeoutMs: number;
}
