interface RalphErrorOptions {
  /** What the user can do about it; printed after `hint:`. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * An error that a user can mend. `code` is stable (`RALPH_TASK_CYCLE`); the message names the thing: what, where,
 * why. Bugs of ours stay plain `Error`s. Only `cli/exit.ts` turns codes into exit numbers.
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

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system error code (`ENOENT`, `EACCES`, …) of anything thrown, if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
