import type { PlannedAttempt } from "../../base/attempt-ref.ts";
import type { SafeText } from "../../base/safe-text.ts";
import type { IsolationLevel, Sandbox } from "./confinement.ts";
import type { ModelQuestion } from "./model-offer.ts";

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
  | "context_full"
  | "bad_output";

/** The reason why a session gave no trustworthy result. `message` is the agent's own last message about it, redacted. */
export interface AgentError {
  readonly kind: AgentErrorKind;
  readonly message: string;
  /** When a limit ends, ISO 8601, if the agent stated it. */
  readonly resetAt: string | null;
  /** `opus`, `sonnet`, …: the limit holds for the models of this name only. */
  readonly limitedModel?: string | null;
  /** The person's next step, such as the agent's login command. */
  readonly hint: string | null;
  /** True: known only by words that the agent printed, which may be a quote, and not by an event of its protocol. */
  readonly byWords?: boolean;
}

export interface AgentTokens {
  /** Fresh input: cached tokens are not in it. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * Where a cost comes from. `measured`: stated by the agent; `price-table`: tokens times list prices; `guessed`: the
 * agent estimated it for a model whose price it does not know.
 */
export type CostSource = "measured" | "price-table" | "guessed";

/** The outcome of a session, as data: a failing agent is a result, never an exception. */
export interface AgentResult {
  /** The agent's last message, "" if there was none. Sigils are read from here only. */
  readonly finalMessage: string;
  /** Null: terminal event, no error flag and exit code 0 agree that the session ended well. */
  readonly error: AgentError | null;
  /**
   * Set when there is no error but the final message is only a limit text: a limit if the session changed nothing,
   * which only the caller can know.
   */
  readonly onlyLimitText: AgentError | null;
  /** The model that answered, as stated by the agent: a name, even if an alias was requested. */
  readonly model: string | null;
  readonly tokens: AgentTokens | null;
  readonly costUsd: number | null;
  /** Null exactly when `costUsd` is. */
  readonly costSource: CostSource | null;
  /** Tokens of the model's last request: how full its context was; null: unknown. */
  readonly contextUsed: number | null;
  /** Tokens that fit into the model's context; null: unknown. */
  readonly contextSize: number | null;
  /** How often the agent summarized its context to make room; null: it does not report that. */
  readonly compactions: number | null;
  readonly durationMs: number;
  readonly sessionId: string | null;
  readonly stopReason: string | null;
  /** Requests of the agent that were denied, such as `Bash(npm install)`; at most 20, redacted. */
  readonly permissionDenials: readonly string[];
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of its stderr, redacted, for reports. */
  readonly stderrTail: string;
  /** The skills whose text it opened, by name; absent: unknown or none. */
  readonly loadedSkills?: readonly string[];
  /** The number of processes that outlived the agent and were killed. */
  readonly survivorsKilled: number;
  /** Statements of the agent that cannot be true; absent: none. */
  readonly warnings?: readonly string[];
}

/** The agent's current activity, for the status line. Untrusted text, already redacted. */
export interface AgentActivity {
  readonly kind: "text" | "tool" | "retry";
  readonly text: string;
}

/** The journal of a task's change. An adapter lets its agent read and write `folder`, and nothing else outside the project. */
interface AgentJournal {
  readonly path: string;
  readonly folder: string;
  readonly change: string;
}

/** The way to the run, whose store the agent reaches by `ralph` and its tools. */
interface RunService {
  /** Variables with the address. */
  readonly env: Readonly<Record<string, string>>;
  /** Folders besides `tmpDir` that the agent needs for it. */
  readonly folders: readonly string[];
}

export interface AgentRequest extends PlannedAttempt {
  readonly prompt: SafeText;
  /** The project's root. */
  readonly cwd: string;
  /** A tier: `model` or `model:effort`. */
  readonly model: string;
  /** Number of the iteration within the run, from 1. */
  readonly iteration: number;
  /** Unique to the iteration; every process it starts carries it as `RALPH_MARKER`. */
  readonly marker: string;
  /** The iteration's own folder, also for files that an adapter generates; the caller creates and removes it. */
  readonly tmpDir: string;
  /** The file that the agent may write outside the project, in a folder of its own; null: none. */
  readonly journal: AgentJournal | null;
  /** Null: the agent does not reach the run. */
  readonly service: RunService | null;
  /** The commands that will verify the work, and others that a person approved: the agent may run them itself. */
  readonly allowedCommands: readonly string[];
  /** The file that stores the raw stream. */
  readonly logFile: string;
  readonly timeoutMs: number | null;
  readonly idleTimeoutMs: number | null;
  readonly signal: AbortSignal;
  /** Aborted: the agent is killed at once, without the grace period of `signal`. */
  readonly forceSignal?: AbortSignal | undefined;
  readonly isolation: IsolationLevel;
  /** Null: the agent sees what its user sees. */
  readonly sandbox: Sandbox | null;
  readonly onActivity: (activity: AgentActivity) => void;
  /** Called when the agent runs, if it takes messages while it works. */
  readonly onSteerable?: (steer: Steer) => void;
  /** Called when the agent's process has just been started. */
  readonly onStart?: () => void;
}

/** Sends a person's message to a working agent; false: it ended, or refused the message. May never resolve if it ends first. */
export type Steer = (text: SafeText) => Promise<boolean>;

/** The command of a request. The prompt is passed on stdin, not in `argv`. */
export interface AgentCommand {
  readonly argv: readonly [string, ...string[]];
  /** Variables added to the inherited environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The texts of files to write before the start, by their paths, all in the iteration's folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A folder of skills that agents read. */
export type SkillFolder = ".claude/skills" | ".agents/skills";

/** A coding agent. `run` never throws because of the agent, only for bugs in ralph. */
export interface Agent {
  readonly name: string;
  /** Cheap, middle, strong, each `model` or `model:effort`; one or two serve all three. */
  readonly tiers: readonly [string, ...string[]];
  /** The model of the `fixed` strategy. */
  readonly defaultModel: string;
  /** For the run header: how much the agent may do without asking. */
  readonly permission: string;
  /** Advice on how to allow what was denied; null if ralph does not set the permissions. */
  readonly permissionHint: string | null;
  /** The folder of a project whose skills it lists and loads by itself; null: none. */
  readonly listsSkills: SkillFolder | null;
  command(request: AgentRequest): AgentCommand;
  run(request: AgentRequest): Promise<AgentResult>;
  /**
   * Returns the error of every session in folder `cwd` while the program is not installed, without starting it. Null: it is, or it is
   * named by a path in that folder, where the verification before the first attempt may install it.
   */
  missing(cwd: string): AgentError | null;
  /** Returns who pays for its sessions, without starting it; absent or null: unknown. */
  payment?(): AgentPayment | null;
  /** The way to ask what it offers; absent: there is none. */
  readonly models?: ModelQuestion;
  /** Returns the program's version and any problem, or why it cannot run. */
  probe(): Promise<AgentProbe>;
}

/** Who pays for an agent's sessions. */
export interface AgentPayment {
  /** `subscription`, or the variable with the key that is billed. */
  readonly by: string;
  /** That this is not what a person may expect; null: it is. */
  readonly warning: string | null;
}

export type AgentProbe =
  | {
      readonly found: true;
      readonly program: string;
      readonly version: string | null;
      /** False: nobody is logged in, as far as is known without a request; absent: unknown. */
      readonly isLoggedIn?: boolean;
      /** The reason why it would not work although it is installed: too old, not logged in. */
      readonly problem?: { readonly detail: string; readonly hint: string };
    }
  | { readonly found: false; readonly program: string; readonly hint: string };

/** The surroundings that an adapter is created in, besides its settings. */
export interface AgentSetup {
  /** The environment that the agent inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** The command of ralph's own MCP server, for agents that accept one per session; null: none is attached. */
  readonly tools: readonly [string, ...string[]] | null;
  /** The permission where the settings name none. */
  readonly defaultPermission: "edit" | "shell";
  /** True: the agent only answers about untrusted text: it has no tools, and its permission is the least, whatever its settings say. */
  readonly readOnly: boolean;
  /** With `readOnly`: the agent keeps the tools that read files of its folder. */
  readonly mayRead?: boolean;
}
