/** A shell command line; its exit code 0 means that the work is correct. */
export interface VerifyCommand {
  readonly run: string;
  /** Milliseconds, or null for the default. */
  readonly timeoutMs: number | null;
}

/** The time limit of a verification command that sets none. */
export const defaultVerifyTimeoutMs: number = 10 * 60_000;
