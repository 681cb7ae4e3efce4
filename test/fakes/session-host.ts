import type { SessionHost } from "../../src/agents/port/session-stream.ts";

/** The host of a stream that is read without a process. */
export function silentHost(changes: Partial<SessionHost> = {}): SessionHost {
  return {
    onActivity: () => undefined,
    onFinished: () => undefined,
    fail: () => undefined,
    write: () => undefined,
    endInput: () => undefined,
    after: () => () => undefined,
    now: () => new Date(),
    ...changes,
  };
}
