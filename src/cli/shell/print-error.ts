import { messageOf, RalphError } from "../../base/errors.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { safeJson, safeText } from "../../trust/safe-text.ts";

interface ErrorStyle {
  readonly json: boolean;
  readonly verbose: boolean;
  /** The fields of JSON: those of `swarm memory`, with `error` as text, or ralph's own. Default: `ralph`. */
  readonly shape?: "ralph" | "swarm";
}

/** Reports whether a user can fix an error, as opposed to a bug. */
export function isUsersError(error: unknown): boolean {
  return error instanceof RalphError;
}

/** Returns an error as text for people, or with `json` as one object. Adds the stack trace for bugs and with `verbose`. */
export function describeError(error: unknown, style: ErrorStyle): SafeText {
  const known = error instanceof RalphError;
  const message = messageOf(error);
  if (style.json) return jsonOf(error, style.shape ?? "ralph");
  const lines = [known ? `error: ${message}` : `error: bug in ralph: ${message}`];
  if (known && error.hint) lines.push(`hint: ${error.hint}`);
  const trace = error instanceof Error ? error.stack : undefined;
  if (trace && (style.verbose || !known)) lines.push(trace);
  if (!known)
    lines.push("hint: report this with the trace above; your tasks and memory in .ralph/ are intact");
  return safeText(lines.join("\n"));
}

function jsonOf(error: unknown, shape: "ralph" | "swarm"): SafeText {
  const known = error instanceof RalphError;
  const code = known ? error.code : "RALPH_BUG";
  const hint = known ? (error.hint ?? null) : null;
  const message = messageOf(error);
  return shape === "swarm"
    ? safeJson({ success: false, error: message, code, hint })
    : safeJson({ error: { code, message, hint } });
}
