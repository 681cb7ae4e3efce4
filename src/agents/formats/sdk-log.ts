import { kindOfStatus } from "../limits/error-kind.ts";
import type { AgentErrorKind } from "../port/agent.ts";

/**
 * Makes the SDKs of OpenAI and Anthropic log each call that they repeat: they wait as long as the server says, for hours if it says so,
 * and the agent around them is silent meanwhile. Values set by the user win.
 */
export function sdkLogEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    OPENAI_LOG: env["OPENAI_LOG"] ?? "info",
    ANTHROPIC_LOG: env["ANTHROPIC_LOG"] ?? "info",
  };
}

const repeated =
  /^\[log_\w+.*\] (?:.* failed with status (\d{3}) in \d+ms|connection (?:failed|timed out)) - retrying\b/;

/** Returns why a call is repeated, by a line of that log; null: it reports none. */
export function repeatedCall(
  line: string,
): { readonly kind: AgentErrorKind; readonly message: string } | null {
  const found = repeated.exec(line);
  if (!found) return null;
  const status = found[1];
  if (status === undefined) return { kind: "network", message: "the connection to the model's API failed" };
  return {
    kind: kindOfStatus(Number(status)) ?? "crash",
    message: `the model's API answered with status ${status}, and the agent repeats the request`,
  };
}
