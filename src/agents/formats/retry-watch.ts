import type { AgentError } from "../port/agent.ts";
import type { SessionHost } from "../port/session-stream.ts";

/**
 * How long an agent may retry without progress, so that a limit is reported within a minute: less before the first
 * answer, when there is nothing to lose and some programs took long to start.
 */
const maxRetryMs = { atStart: 30_000, later: 50_000 };

/** Follows the retries of an agent that does not say how often it retries. */
interface RetryWatch {
  /** Takes the reason for a retry. When retries go on too long, the session fails with the latest. */
  retry(error: AgentError): void;
  /** Takes a sign that the model answers. */
  progress(): void;
  /** Returns the reason for the retry that the agent is in; null: it works. */
  current(): AgentError | null;
}

export function retryWatch({ after, fail, onActivity }: SessionHost): RetryWatch {
  let latest: AgentError | null = null;
  let cancel: () => void = () => undefined;
  let maxMs = maxRetryMs.atStart;
  return {
    retry(error) {
      onActivity({ kind: "retry", text: error.message });
      if (latest === null) {
        cancel = after(maxMs, () => {
          if (latest) fail(latest);
        });
      }
      latest = error;
    },
    progress() {
      latest = null;
      maxMs = maxRetryMs.later;
      cancel();
    },
    current: () => latest,
  };
}
