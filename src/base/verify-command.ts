/** A command line for the shell whose exit code 0 says that the work is right. */
export interface VerifyCommand {
  readonly run: string;
  /** Milliseconds, or null for the default. */
  readonly timeoutMs: number | null;
}
