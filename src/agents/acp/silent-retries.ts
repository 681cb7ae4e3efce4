import { apiFailure } from "../formats/api-failure.ts";
import { retryWatch } from "../formats/retry-watch.ts";
import { kindOfMessage } from "../limits/error-kind.ts";
import type { AgentError, AgentErrorKind } from "../port/agent.ts";
import type { SessionHost, StreamReader } from "../port/session-stream.ts";
import type { AcpProgram } from "./programs.ts";

/** Refusals of a full context, without an action in between, after which compacting it again is useless. */
const maxFull = 3;

interface SilentRetries {
  /** Takes a line of the program's own log. */
  line(text: string): void;
  /** The agent worked: whatever it retried has passed. */
  progress(): void;
  /** The agent began an action: a context that was full has room again. */
  acted(): void;
  /** Returns an error of an unknown kind as an outage if the agent repeated its request before it. */
  explain(error: AgentError | null): AgentError | null;
  /** The reason for the current retry; null: none. */
  current(): AgentError | null;
}

/**
 * Notices an agent that retries the model's API without an end: the protocol does not report that. `onHopeless` gets the
 * reason when nothing else happened for a while after the first retry, or the context is full again and again.
 */
export function silentRetries(
  host: SessionHost,
  program: Pick<AcpProgram, "retryIn" | "hints">,
  onHopeless: (error: AgentError) => void,
): SilentRetries {
  const watch = retryWatch({ ...host, fail: onHopeless });
  let full = 0;
  let repeats = 0;
  return {
    line(text) {
      const reason = program.retryIn(text);
      if (reason !== null) repeats += 1;
      const error = reason === null ? null : retried(reason, program.hints, host.now());
      if (!error) return;
      if (error.kind === "context_full") {
        full += 1;
        if (full === maxFull) onHopeless(error);
        return;
      }
      watch.retry(error);
    },
    progress() {
      watch.progress();
      repeats = 0;
    },
    acted() {
      full = 0;
    },
    explain: (error) => (error?.kind === "crash" && repeats > 1 ? { ...error, kind: "overloaded" } : error),
    current: watch.current,
  };
}

/** The kinds that agents retry: some compact a full context and send the rest, again and again. */
const repeated: ReadonlySet<AgentErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "network",
  "credit",
  "context_full",
]);

function retried(reason: string, hints: StreamReader["hints"], now: Date): AgentError | null {
  const kind = kindOfMessage(reason);
  return kind && repeated.has(kind) ? apiFailure(wordsOf(reason), { kind, hints, now }) : null;
}

/** The provider's words, without the program's own around them. */
function wordsOf(reason: string): string {
  const stated = /"message":"((?:[^"\\]|\\.)*)"/.exec(reason)?.[1];
  return stated ?? reason.replace(/^AI_\w+: /, "");
}
