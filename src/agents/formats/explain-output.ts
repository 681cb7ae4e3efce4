import { refusalIn } from "../limits/refusal-text.ts";
import type { AgentError } from "../port/agent.ts";
import type { AgentOutput, StreamReader } from "../port/session-stream.ts";

/** Classifies a program's output. It may quote its work, so only its own statement at the end counts. */
export function explainOutput(words: AgentOutput, hints: StreamReader["hints"]): AgentError | null {
  const refusal = refusalIn(words);
  return refusal && { ...refusal, hint: hints[refusal.kind] ?? null };
}
