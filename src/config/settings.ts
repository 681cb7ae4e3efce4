import type { JsonValue } from "../base/json.ts";
import type { VerifyCommand } from "../base/verify-command.ts";
import type { EmbeddingSettings } from "./embeddings.ts";
import type { EventHookSettings } from "./event-hook.ts";

export const strategyNames = ["fixed", "cost-optimized", "escalate", "plan-then-execute"] as const;
type StrategyName = (typeof strategyNames)[number];

/** `agents.<name>` of the configuration, for `claude` and agents like it. */
export interface AgentSettings {
  readonly model: string | null;
  /** Cheap, middle, strong. */
  readonly tiers: readonly string[] | null;
  /** `plan | ask | edit | shell | bypass`, mapped by each adapter to its agent's own words. */
  readonly permission: string | null;
  readonly extraArgs: readonly string[];
  /** The program to run instead of the agent's own name. */
  readonly program: string | null;
  /** `command` only: what to run. */
  readonly argv: readonly string[] | null;
  /** `command` only: what its stdout is. */
  readonly format: "text" | "claude-stream-json" | "codex-json";
}

/** Everything that can be configured, resolved: defaults filled in, durations in milliseconds. */
export interface Settings {
  /** The first is used; the next ones when it is limited. */
  readonly agent: readonly string[];
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly model: string | null;
  /** Null: nobody configured any; an empty list: a person said there is none. */
  readonly verify: readonly VerifyCommand[] | null;
  readonly strategy: StrategyName;
  readonly completion: "signal" | "verified";
  readonly onFailure: "keep" | "rollback";
  readonly limits: {
    /** 0: no limit. */
    readonly maxIterations: number;
    readonly maxAttempts: number;
    readonly stuckAfter: number;
    readonly budgetUsd: number | null;
    readonly maxDurationMs: number | null;
    readonly taskTimeoutMs: number;
    readonly idleTimeoutMs: number;
  };
  readonly verifyGuard: "report" | "strict";
  readonly commit: { readonly template: string | null; readonly enabled: boolean };
  readonly sandbox: "auto" | "off" | "required";
  readonly memory: {
    readonly enabled: boolean;
    readonly budgetChars: number;
    /** Learnings in a prompt at most. */
    readonly maxLearnings: number;
    /** The share of iterations that get no learnings, to measure them. */
    readonly holdout: number;
    /** Active learnings above which they are merged. */
    readonly summarizeAbove: number;
    /** Ages in milliseconds. */
    readonly prune: {
      readonly reportsMs: number;
      readonly metricsMs: number;
      readonly learningsMs: number;
      readonly unusedMs: number;
    };
    /** Null: none is asked. */
    readonly embeddings: EmbeddingSettings | null;
    /** Ceilings of single sections in characters, by section name. */
    readonly sections: Readonly<Record<string, number>>;
  };
  readonly events: { readonly dir: string | null; readonly hooks: readonly EventHookSettings[] };
  readonly learnings: {
    readonly extract: "off" | "failures" | "all";
    /** Null: the agent's cheapest. */
    readonly extractModel: string | null;
    /** For one run. */
    readonly extractBudgetUsd: number;
  };
  /** Whether agents are given ralph's own tools. */
  readonly mcp: { readonly enabled: boolean };
  /** Relative to the project's root. */
  readonly store: string;
}

/** Where a value came from: `default`, `flag --model`, `RALPH_MODEL`, or a file's path. */
type Origin = string;

/** What `loadSettings` found. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** By dotted key, `limits.maxAttempts`: as written, durations as text. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /** By dotted key. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** The project's own file, if there is one: its content decides what ralph executes, so it needs approval. */
  readonly projectFile: { readonly path: string; readonly sha256: string } | null;
  /** One line for each file, and for the environment, that uses settings of features that do not exist. */
  readonly warnings: readonly string[];
}
