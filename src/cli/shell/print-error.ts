import { messageOf, RalphError } from "../../base/errors.ts";
import { redact } from "../../trust/redact.ts";
import { isRefusal, writeRefused } from "../../trust/safe-file.ts";
import { stripControls } from "../../trust/terminal.ts";

/** What is said of an error: to people, or with `--json` as one object. The trace only with `--verbose`, or for bugs. */
export function describeError(
  error: unknown,
  style: { readonly json: boolean; readonly verbose: boolean },
): string {
  const known = error instanceof RalphError;
  const message = messageOf(error);
  if (style.json) {
    const code = known ? error.code : "RALPH_BUG";
    const hint = known ? (error.hint ?? null) : null;
    return redact(JSON.stringify({ error: { code, message, hint } }));
  }
  const lines = [known ? `error: ${message}` : `error: a bug in ralph: ${message}`];
  if (known && error.hint) lines.push(`hint: ${error.hint}`);
  const trace = error instanceof Error ? error.stack : undefined;
  if (trace && (style.verbose || !known)) lines.push(trace);
  if (!known)
    lines.push("hint: please report this with the trace above; your tasks and memory are safe in .ralph/");
  return stripControls(redact(lines.join("\n")));
}

/**
 * Returns a system error about a file (disk full, permission denied, no folder for temporary files) as one of the
 * environment's, and every other error as it is.
 */
export function knownError(error: unknown): unknown {
  const { path, dest, syscall } = (error ?? {}) as Readonly<Record<string, unknown>>;
  if (error instanceof RalphError || !(isRefusal(error) || syscall === "mkdtemp")) return error;
  const file = dest ?? path;
  // A write to an open file does not say which one it was.
  return writeRefused(typeof file === "string" ? file : "a file", error);
}
