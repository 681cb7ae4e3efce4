/** The formats of an agent's stdout that ralph reads; `src/agents/formats/stream-readers.ts` holds a reader for each. */
export const streamFormats = [
  "text",
  "claude-stream-json",
  "codex-json",
  "opencode-json",
  "gemini-stream-json",
  "pi-json",
] as const;

export type StreamFormat = (typeof streamFormats)[number];

/** The levels of what an agent may do without asking; each allows more than the one before. */
export const permissions = ["plan", "ask", "edit", "shell", "bypass"] as const;

export type Permission = (typeof permissions)[number];

interface ModelSettings {
  /** The model of the strategy `fixed`; null: the agent's own default. */
  readonly model: string | null;
  /** Cheap, middle and strong, each `model` or `model:effort`; null: the agent's own. */
  readonly tiers: readonly string[] | null;
}

export interface ClaudeSettings extends ModelSettings {
  /** Null: `edit`. */
  readonly permission: Permission | null;
  /** Appended to ralph's own arguments, so that they win. */
  readonly extraArgs: readonly string[];
  /** The program to run instead of `claude`. */
  readonly program: string | null;
}

export interface CommandSettings extends ModelSettings {
  /** The program and its arguments; null: not configured. */
  readonly argv: readonly string[] | null;
  /** The format of its stdout. */
  readonly format: StreamFormat;
  readonly extraArgs: readonly string[];
  /** Replaces the first word of `argv`. */
  readonly program: string | null;
}

/** An agent that speaks the Agent Client Protocol. */
export interface AcpSettings extends ModelSettings {
  /** The program and its arguments; null: not configured. */
  readonly argv: readonly string[] | null;
  /** Null: `edit`. */
  readonly permission: Permission | null;
  readonly extraArgs: readonly string[];
  /** Replaces the first word of `argv`. */
  readonly program: string | null;
}

/** An agent whose program and arguments ralph knows. */
export interface KnownAgentSettings extends ModelSettings {
  /** Null: `edit`. */
  readonly permission: Permission | null;
  /** Appended to ralph's own arguments. */
  readonly extraArgs: readonly string[];
  /** The program to run instead of the agent's own name. */
  readonly program: string | null;
}

/** The settings of every agent by its name: `agents` of the configuration, one type per adapter. */
export interface AgentSettings {
  readonly claude: ClaudeSettings;
  readonly codex: KnownAgentSettings;
  readonly gemini: KnownAgentSettings;
  readonly opencode: KnownAgentSettings;
  readonly pi: KnownAgentSettings;
  readonly acp: AcpSettings;
  readonly command: CommandSettings;
}

/** The settings of any one agent; what its adapter does not have is absent. */
export interface AnyAgentSettings extends ModelSettings {
  readonly program?: string | null;
  readonly argv?: readonly string[] | null;
  readonly extraArgs?: readonly string[];
  readonly permission?: Permission | null;
}

/** Returns the settings of the agent called `name`; undefined if no agent has that name. */
export function settingsOf(agents: AgentSettings, name: string): AnyAgentSettings | undefined {
  return Object.hasOwn(agents, name) ? agents[name as keyof AgentSettings] : undefined;
}

/** How agents and verification are confined: the setting `sandbox`. */
export interface SandboxSettings {
  readonly level: "auto" | "off" | "required" | "strict";
  /** With `strict`. `agent`: agents only, not verification. */
  readonly network: "on" | "agent" | "off";
  /** With `strict`: further paths that can be read, or also written; `~/` is the user's home. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** With `strict`: verification commands run in the sandbox too. */
  readonly verification: boolean;
  /** Words before an agent's command line, such as those that start a container; null: none. */
  readonly prefix: readonly [string, ...string[]] | null;
}

/** The limits of a run and of its tasks, as the settings `limits.*` and their flags set them. 0 or null: no limit. */
export interface RunLimits {
  readonly maxIterations: number;
  readonly maxAttempts: number;
  readonly stuckAfter: number;
  readonly budgetUsd: number | null;
  readonly maxDurationMs: number | null;
  readonly taskTimeoutMs: number;
  readonly idleTimeoutMs: number;
}
