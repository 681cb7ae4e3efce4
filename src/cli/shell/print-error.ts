import { messageOf, RalphError } from "../../base/errors.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { isRefusal, writeRefused } from "../../trust/safe-file.ts";
import { safeJson, safeText } from "../../trust/safe-text.ts";

/** Returns an error as text for people, or with `json` as one object. Adds the stack trace for bugs and with `verbose`. */
export function describeError(
  error: unknown,
  style: { readonly json: boolean; readonly verbose: boolean },
): SafeText {
  const known = error instanceof RalphError;
  const message = messageOf(error);
  if (style.json) {
    const code = known ? error.code : "RALPH_BUG";
    const hint = known ? (error.hint ?? null) : null;
    return safeJson({ error: { code, message, hint } });
  }
  const lines = [known ? `error: ${message}` : `error: bug in ralph: ${message}`];
  if (known && error.hint) lines.push(`hint: ${error.hint}`);
  const trace = error instanceof Error ? error.stack : undefined;
  if (trace && (style.verbose || !known)) lines.push(trace);
  if (!known)
    lines.push("hint: report this with the trace above; your tasks and memory in .ralph/ are intact");
  return safeText(lines.join("\n"));
}

/**
 * Returns a system error about a file (disk full, permission denied, no temporary folder) as an environment error, and
 * every other error unchanged.
 */
export function knownError(error: unknown): unknown {
  const { path, dest, syscall } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (error instanceof RalphError || !(isRefusal(error) || syscall === "mkdtemp")) return error;
  const file = dest ?? path;
  // The error of a write to an open file does not contain its path.
  return writeRefused(typeof file === "string" ? file : "a file", error);
}
