import type { IsolationLevel } from "./isolation.ts";

export type AgentErrorKind =
  | "auth"
  | "credit"
  | "rate_limit"
  | "overloaded"
  | "network"
  | "max_turns"
  | "budget"
  | "crash"
  | "killed"
  | "timeout"
  | "idle"
  | "cancelled"
  | "not_found"
  | "permission"
  | "bad_output";

/** Why a session gave no trustworthy result. `message` is the agent's own last word on it, redacted. */
export interface AgentError {
  readonly kind: AgentErrorKind;
  readonly message: string;
  /** When a limit ends, ISO 8601, if the agent said so. */
  readonly resetAt: string | null;
  /** `opus`, `sonnet`, …: the limit holds for the models of this name only. */
  readonly limitedModel?: string | null;
  /** What a person can do: the agent's own login command, say. */
  readonly hint: string | null;
}

export interface AgentTokens {
  /** Fresh input: cached tokens are not in it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What a session did, as data: an agent that fails is a result, never an exception. */
export interface AgentResult {
  /** The agent's last message, "" when there was none. Sigils are read from here only. */
  readonly finalMessage: string;
  /** Null: terminal event, no error flag and exit code 0 agree that the session ended well. */
  readonly error: AgentError | null;
  readonly model: string | null;
  readonly tokens: AgentTokens | null;
  readonly costUsd: number | null;
  /** `measured`: the agent said so; `unknown`: it made it up for a model it does not know. */
  readonly costBasis: "measured" | "unknown" | null;
  readonly durationMs: number;
  readonly sessionId: string | null;
  readonly stopReason: string | null;
  /** Tools that the agent asked for and was not allowed, if any. */
  readonly permissionDenials: readonly string[];
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of its stderr, redacted, for reports. */
  readonly stderrTail: string;
  /** Processes that had outlived the agent and were killed. */
  readonly survivorsKilled: number;
}

/** What the agent is doing now, for the status line. Untrusted text, already redacted. */
export interface AgentActivity {
  readonly kind: "text" | "tool" | "retry";
  readonly text: string;
}

export interface AgentRequest {
  readonly prompt: string;
  /** The project's root. */
  readonly cwd: string;
  readonly model: string;
  readonly taskId: string;
  readonly runId: string;
  /** Number of the iteration within the run, from 1. */
  readonly iteration: number;
  /** The task's attempt, from 1. */
  readonly attempt: number;
  /** Unique to the iteration; every process it starts carries it as `RALPH_MARKER`. */
  readonly marker: string;
  /** A folder of the iteration's own; the caller makes and removes it. */
  readonly tmpDir: string;
  /** Where the raw stream is kept. */
  readonly logFile: string;
  readonly timeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
  readonly signal: AbortSignal;
  /** Aborted: killed at once, without the grace that `signal` leaves. */
  readonly forceSignal?: AbortSignal | undefined;
  readonly isolation: IsolationLevel;
  readonly onActivity: (activity: AgentActivity) => void;
}

/** The command that a request becomes. The prompt goes by stdin: it is not in `argv`. */
export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  /** What is added to the inherited environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A coding agent. `run` never throws for what the agent does, only for bugs of ours. */
export interface Agent {
  readonly name: string;
  /** Cheap, middle, strong; one or two names serve all three. */
  readonly tiers: readonly [string, ...string[]];
  /** The model when the strategy has no say (`fixed`). */
  readonly defaultModel: string;
  /** For the run header: how much the agent may do without asking. */
  readonly permission: string;
  command(request: AgentRequest): AgentCommand;
  run(request: AgentRequest): Promise<AgentResult>;
  /** The program's version, or why it cannot run. */
  probe(): Promise<AgentProbe>;
}

export type AgentProbe =
  | { readonly found: true; readonly program: string; readonly version: string | null }
  | { readonly found: false; readonly program: string; readonly hint: string };
