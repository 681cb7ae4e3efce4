import type { AgentActivity, AgentError, AgentTokens, CostSource } from "../agent.ts";
import type { StatedLimit } from "../limits/error-kind.ts";

/** The facts that an agent's stdout states about the session, one of three sources: see `sessionError`. */
export interface Reading {
  /** "" if there was none. */
  readonly finalMessage: string;
  /** The event that ends a session; null if it never arrived. */
  readonly terminal: "ok" | "failed" | null;
  /** The error stated by the stream; set whenever `terminal` is "failed". */
  readonly failure: AgentError | null;
  /** The reason for a retry; set while the last event is a retry of the agent. */
  readonly retrying: AgentError | null;
  /** The limit, stated by an event, that rejected a request; it may concern only a part of the work. */
  readonly statedLimit: Pick<StatedLimit, "resetAt" | "limitedModel"> | null;
  readonly model: string | null;
  readonly tokens: AgentTokens | null;
  readonly costUsd: number | null;
  readonly costSource: CostSource | null;
  readonly sessionId: string | null;
  readonly stopReason: string | null;
  readonly permissionDenials: readonly string[];
  /** The agent gave a result and waits for background work, silently. */
  readonly waiting: boolean;
}

export const emptyReading: Reading = {
  finalMessage: "",
  terminal: null,
  failure: null,
  retrying: null,
  statedLimit: null,
  model: null,
  tokens: null,
  costUsd: null,
  costSource: null,
  sessionId: null,
  stopReason: null,
  permissionDenials: [],
  waiting: false,
};

/** The callbacks of a stream while it runs. */
export interface StreamListener {
  readonly onActivity: (activity: AgentActivity) => void;
  /** The terminal event arrived: the agent has nothing left to do. */
  readonly onFinished: () => void;
  readonly now: () => Date;
}

/** Reads one session's stdout. Never throws, whatever arrives. */
export interface SessionStream {
  /** Takes every byte, for output that is not lines. */
  readonly chunk?: (bytes: Buffer) => void;
  readonly line?: (text: string) => void;
  reading(): Reading;
}

export type OpenStream = (listener: StreamListener) => SessionStream;
