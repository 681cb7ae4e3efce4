/** The formats of an agent's stdout that ralph reads; `src/agents/formats/stream-readers.ts` holds a reader for each. */
export const streamFormats = ["text", "claude-stream-json", "pi-json"] as const;

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

export interface CommandSettings extends ModelSettings {
  /** The program and its arguments; null: not configured. */
  readonly argv: readonly string[] | null;
  /** The format of its stdout. */
  readonly format: StreamFormat;
}

/** An agent that speaks the Agent Client Protocol. */
export interface AcpSettings extends ModelSettings {
  /** The program and its arguments; null: not configured. */
  readonly argv: readonly string[] | null;
  /** Null: `shell` where a sandbox binds, else `edit`. */
  readonly permission: Permission | null;
}

/** An agent whose program and arguments ralph knows. */
export interface KnownAgentSettings extends ModelSettings {
  /** Null: `shell` where a sandbox binds, else `edit`. */
  readonly permission: Permission | null;
  /** Appended to ralph's own arguments, so that they win. */
  readonly extraArgs: readonly string[];
  /** The program to run instead of the agent's own name. */
  readonly program: string | null;
}

/** The settings of every agent by its name: `agents` of the configuration, one type per adapter. */
export interface AgentSettings {
  readonly claude: KnownAgentSettings;
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

/** Dollars per million tokens. */
interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of input from a cache; null: that of other input. */
  readonly cached: number | null;
}

/** A person's own prices, by the name of a model. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** The limits of a run and of its tasks, as the settings `limits.*` and their flags set them. 0 or null: no limit. */
export interface RunLimits {
  readonly maxIterations: number;
  readonly maxAttempts: number;
  readonly stuckAfter: number;
  readonly escalateAfter: number;
  readonly budgetUsd: number | null;
  readonly maxDurationMs: number | null;
  readonly taskTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/**
 * Every type of event: `noun.verb`, and the names of a run's stages for older tools. The setting `events.hooks` names some;
 * `src/events/` records them.
 */
export const eventTypes = [
  "agent.activity",
  "agent.finished",
  "baseline.finished",
  "baseline.started",
  "commit.created",
  "commit.failed",
  "commit.waiting",
  "cost.unknown",
  "dependency.added",
  "dependency.removed",
  "hook.failed",
  "iteration.finished",
  "iteration.interrupted",
  "iteration.started",
  "learning.approved",
  "learning.captured",
  "learning.edited",
  "learning.expired",
  "learning.extracted",
  "learning.fresh",
  "learning.imported",
  "learning.merged",
  "learning.pruned",
  "learning.purged",
  "learning.recalled",
  "learning.recited",
  "learning.refuted",
  "learning.removed",
  "learning.restored",
  "learning.selected",
  "learning.stale",
  "learning.stored",
  "learning.strengthened",
  "learning.superseded",
  "learning.takenover",
  "learning.validated",
  "learning.withdrawn",
  "limit.fallback",
  "limit.over",
  "limit.waiting",
  "list.synced",
  "list.warned",
  "loop_complete",
  "loop_error",
  "loop_start",
  "memory.failed",
  "memory.health",
  "memory.judged",
  "message.added",
  "message.delivered",
  "message.passed",
  "message.passing",
  "message.removed",
  "message.returned",
  "message.waits",
  "note.added",
  "review.finished",
  "run.asked",
  "run.finished",
  "run.paused",
  "run.recovered",
  "run.resumed",
  "run.started",
  "salvage.restored",
  "salvage.saved",
  "skill.accepted",
  "skill.changed",
  "skill.committed",
  "skill.decided",
  "skill.postponed",
  "skill.proposed",
  "skill.restored",
  "skill.retired",
  "source.unticked",
  "story_complete",
  "story_failed",
  "task.blocked",
  "task.claimed",
  "task.created",
  "task.done",
  "task.failed",
  "task.givenup",
  "task.moved",
  "task.released",
  "task.removed",
  "task.reset",
  "task.split",
  "task.undone",
  "task.updated",
  "tasks.created",
  "verification.finished",
  "verification.started",
] as const;

/** Returns the pattern of event types in which `*` matches any text (`iteration.*`). */
export function typePattern(glob: string): RegExp {
  const parts = glob.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
