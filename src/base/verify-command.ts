/** A command line for the shell whose exit code 0 says that the work is right. */
export interface VerifyCommand {
  readonly run: string;
  /** Milliseconds, or null for the default. */
  readonly timeoutMs: number | null;
}

/** The time limit of a verification command that sets none. */
export const defaultVerifyTimeoutMs: number = 10 * 60_000;
