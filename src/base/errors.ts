interface RalphErrorOptions {
  /** The user's next step, in the imperative; printed after `hint:`. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * An error that a user can fix. `code` is stable (`RALPH_TASK_CYCLE`); the message says what is wrong, where and why.
 * Bugs are plain `Error`s. Only `cli/shell/exit.ts` maps codes to exit numbers.
 */
export class RalphError extends Error {
  override readonly name: string = "RalphError";
  readonly code: RalphErrorCode;
  readonly hint: string | undefined;

  constructor(code: RalphErrorCode, message: string, options: RalphErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }
}

export type RalphErrorCode = `RALPH_${string}`;

/** Returns an error that a user can fix. Throws every other one, which is a bug. */
export function fixable(error: unknown): RalphError {
  if (error instanceof RalphError) return error;
  throw error;
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system error code (`ENOENT`, `EACCES`, …) of any thrown value, if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
