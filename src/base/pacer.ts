/** Divides background work into slices of some milliseconds, so that it never delays other work of the process for longer. */
export interface Pacer {
  /** Aborted when the work must end. */
  readonly signal: AbortSignal;
  /**
   * Resolves when the work may continue: at once within a slice, else after other work has run. Call it between short
   * pieces of work, outside any transaction. Rejects once `signal` is aborted.
   */
  pause(): Promise<void>;
}
