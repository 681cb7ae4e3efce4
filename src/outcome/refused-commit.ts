import { redact } from "../trust/redact.ts";
import { classify } from "./errors/classify.ts";
import { errorSignature } from "./errors/signature.ts";
import { extractError } from "./extract-error.ts";
import type { CheckResult, Outcome } from "./outcome.ts";

/** How a hook of the repository refused a commit. */
interface Refusal {
  readonly hook: string;
  /** Null: it did not end in time. */
  readonly exitCode: number | null;
  readonly output: string;
}

/**
 * The failed attempt that verified work becomes when a hook refuses its commit (LOOP-21): the hook counts as one more
 * verification command, and its output is the error.
 */
export function refusedByHook(outcome: Outcome, { hook, exitCode, output }: Refusal): Outcome {
  const command = `git commit (${hook} hook)`;
  const ended = exitCode === null ? "timed out" : `exit code ${exitCode}`;
  const excerpt = extractError(redact(output));
  const text = `${ended}\n${excerpt}`;
  const category = exitCode === null ? "timeout" : classify({ command: hook, text });
  const ran = { command, passed: false, reason: ended, exitCode, durationMs: 0, excerpt };
  const check: CheckResult = { ...ran, cannotRun: null };
  return {
    ...outcome,
    name: "failed",
    verification: "failed",
    errorType: errorTypeOf(category),
    category,
    signature: errorSignature(category, excerpt || `${command}\n${ended}`),
    reason: `the ${hook} hook refused the commit: ${ended}`,
    checks: [...outcome.checks, check],
    errorExcerpt: excerpt,
  };
}

function errorTypeOf(category: string): Outcome["errorType"] {
  if (category === "timeout") return "timeout";
  return category === "test_failure" ? "assertion_failure" : "tool_error";
}
