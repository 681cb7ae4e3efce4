import type { AgentActivity, AgentError, AgentTokens, CostSource } from "../agent.ts";
import type { StatedLimit } from "../limits/error-kind.ts";

/** What an agent's stdout said about the session. It is one of three witnesses: see `sessionError`. */
export interface Reading {
  /** "" when there was none. */
  readonly finalMessage: string;
  /** The event that ends a session, or null when it never came. */
  readonly terminal: "ok" | "failed" | null;
  /** What the stream says went wrong; set whenever `terminal` is "failed". */
  readonly failure: AgentError | null;
  /** Set while the last thing heard was that the agent tries again: why it had to. */
  readonly retrying: AgentError | null;
  /** What an event states about the limit that turned a request down; it may have been for a part of the work only. */
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

/** What a stream reports while it runs. */
export interface StreamListener {
  readonly onActivity: (activity: AgentActivity) => void;
  /** The terminal event came: the agent has nothing more to do. */
  readonly onFinished: () => void;
  readonly now: () => Date;
}

/** Reads one session's stdout. Whatever comes, it never throws. */
export interface SessionStream {
  /** Every byte, for output that is no lines. */
  readonly chunk?: (bytes: Buffer) => void;
  readonly line?: (text: string) => void;
  reading(): Reading;
}

export type OpenStream = (listener: StreamListener) => SessionStream;
