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
  | "unusable"
  | "prompt_too_long"
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

/**
 * Where a cost comes from. `measured`: the agent said so; `price-table`: tokens times list prices; `guessed`: the agent
 * made it up for a model whose price it does not know.
 */
export type CostSource = "measured" | "price-table" | "guessed";

/** What a session did, as data: an agent that fails is a result, never an exception. */
export interface AgentResult {
  /** The agent's last message, "" when there was none. Sigils are read from here only. */
  readonly finalMessage: string;
  /** Null: terminal event, no error flag and exit code 0 agree that the session ended well. */
  readonly error: AgentError | null;
  /**
   * Set when there is no error but the final message is only a limit text: a limit if the session changed nothing,
   * which only the caller can know.
   */
  readonly onlyLimitText: AgentError | null;
  /** The model that answered, by the agent's own word: an alias that was asked for has become a name. */
  readonly model: string | null;
  readonly tokens: AgentTokens | null;
  readonly costUsd: number | null;
  /** Null exactly when `costUsd` is. */
  readonly costSource: CostSource | null;
  readonly durationMs: number;
  readonly sessionId: string | null;
  readonly stopReason: string | null;
  /** What the agent asked to do and was not allowed, such as `Bash(npm install)`; at most 20, redacted. */
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
  /** The commands that will judge the work: a person approved them, so the agent may run them itself. */
  readonly verifyCommands: readonly string[];
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
  /** How to let the agent do what it was denied; null where that is not ralph's to say. */
  readonly permissionHint: string | null;
  command(request: AgentRequest): AgentCommand;
  run(request: AgentRequest): Promise<AgentResult>;
  /** The program's version and what is wrong with it, or why it cannot run. */
  probe(): Promise<AgentProbe>;
}

export type AgentProbe =
  | {
      readonly found: true;
      readonly program: string;
      readonly version: string | null;
      /** What will keep it from working although it is there: too old, not logged in. */
      readonly problem?: { readonly detail: string; readonly hint: string };
    }
  | { readonly found: false; readonly program: string; readonly hint: string };
