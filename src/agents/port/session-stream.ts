import type {
  AgentActivity,
  AgentCommand,
  AgentError,
  AgentErrorKind,
  AgentTokens,
  CostSource,
  SkillFolder,
} from "./agent.ts";

export interface StatedLimit {
  readonly kind: AgentErrorKind;
  /** When the limit ends, ISO 8601. */
  readonly resetAt: string | null;
  /** `opus`, `sonnet`, …: the limit holds for these models only. */
  readonly limitedModel: string | null;
}

/** The facts that an agent's output states about the session, one of three sources: see `sessionError`. */
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
  /** Tokens of the model's last request: how full its context was; null: unknown. */
  readonly contextUsed: number | null;
  /** Tokens that fit into the model's context; null: unknown. */
  readonly contextSize: number | null;
  /** How often the agent summarized its context to make room; null: the output does not state it. */
  readonly compactions: number | null;
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
  contextUsed: null,
  contextSize: null,
  compactions: null,
  waiting: false,
};

const maxMessageChars = 1024 * 1024;

/** Returns a message that arrives in parts, only its end if it is longer than any message to a person. */
export function endOfMessage(text: string): string {
  return text.length > maxMessageChars ? text.slice(-maxMessageChars) : text;
}

/**
 * Adds a part to a message, of which at least the end is kept that `endOfMessage` returns. Cutting copies the message, so it
 * is done once per MiB: the time for many parts is linear.
 */
export function withPart(message: string, part: string): string {
  const whole = message + part;
  return whole.length > 2 * maxMessageChars ? endOfMessage(whole) : whole;
}

/** The side of ralph in a conversation: the actions of a stream while its agent runs. */
export interface SessionHost {
  readonly onActivity: (activity: AgentActivity) => void;
  /** The terminal event arrived: the agent has nothing left to do. Its input is closed. */
  readonly onFinished: () => void;
  /**
   * Ends a hopeless session, such as one whose agent retries forever: the agent is stopped, and `error` is the
   * session's, whatever its output says later. The first call counts.
   */
  readonly fail: (error: AgentError) => void;
  /** Writes to the agent's stdin, if the stream has `start`. Never waits; lost when the agent does not read it. */
  readonly write: (text: string) => void;
  /** Closes the agent's stdin. */
  readonly endInput: () => void;
  /** Calls back once after `ms`, unless the session ends before. Returns a function that cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly now: () => Date;
}

/** How a program ended: what a stream knows besides its output. */
interface ProgramExit {
  /** Null: it died by a signal. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** True: ralph stopped it because a time limit passed. */
  readonly overdue: boolean;
}

/** Converses with one agent. Never throws, whatever arrives. */
export interface SessionStream {
  /**
   * Opens the conversation: called once, when the agent runs, before any of its output. A stream with `start` writes to
   * the agent itself, the prompt too; without it, the prompt is the agent's whole input.
   */
  readonly start?: () => void;
  /** Takes every byte of stdout, for output that is not lines. */
  readonly chunk?: (bytes: Buffer) => void;
  /** Takes a line of stdout. */
  readonly line?: (text: string) => void;
  /** Takes a line of stderr. */
  readonly errorLine?: (text: string) => void;
  /** Takes how the program ended, after all of its output and before the last `reading`. */
  readonly ended?: (exit: ProgramExit) => void;
  /**
   * Passes a person's message to the working agent; false: it came too late, or the agent refused it. Where the protocol
   * states it, resolves when the agent reads the message; never if the session ends before.
   */
  readonly steer?: (text: string) => Promise<boolean>;
  reading(): Reading;
}

export type OpenStream = (host: SessionHost) => SessionStream;

/** The output of a session that may explain why it could not work. */
export interface AgentOutput {
  readonly stderr: string;
  /** The final message so far; for text agents, all of stdout. */
  readonly finalMessage: string;
  /** True: the agent ended its turn with `finalMessage`, so it counts only if all of it is a limit text. */
  readonly isFinal: boolean;
  readonly now: Date;
}

/** How a program is stopped: by a signal to its group, then by SIGKILL to everything it started. */
export interface StopRules {
  readonly signal: "SIGINT" | "SIGTERM";
  /** Time between the signal and SIGKILL. */
  readonly graceMs: number;
  /** Time that the program gets to exit by itself after its terminal event. Some hang; exiting takes well under a second. */
  readonly lingerMs: number;
}

export const defaultStop: StopRules = { signal: "SIGINT", graceMs: 3000, lingerMs: 5000 };

/** Everything that ralph knows about a program that speaks one format or protocol, besides its command line. */
export interface StreamReader {
  readonly open: OpenStream;
  /** Interprets the program's last output if it gave no result. */
  readonly explain: (words: AgentOutput) => AgentError | null;
  /** False for output whose end only the exit shows. */
  readonly endsWithEvent: boolean;
  readonly stop: StopRules;
  /** The person's next step by the kind of error, such as the program's login command. */
  readonly hints: Readonly<Partial<Record<AgentErrorKind, string>>>;
  /** The folder of a project whose skills the program lists by itself; null: unknown. */
  readonly listsSkills: SkillFolder | null;
  /** Returns variables that the format needs, given the inherited ones. */
  readonly env: (inherited: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
}

/** How an adapter runs a session: its command line, and what reads and writes the program's streams. */
export interface SessionPlan {
  /** The agent's name. */
  readonly agent: string;
  readonly command: AgentCommand;
  readonly inheritedEnv: Readonly<Record<string, string>>;
  readonly reader: StreamReader;
}
