import type { JsonValue } from "../base/json.ts";
import type { AgentSettings, ModelPrices, RunLimits, SandboxSettings } from "../base/shared-settings.ts";
import type { VerifyCommand, VerifyGuard } from "../base/verify-command.ts";
import type { EventHookSettings } from "./event-hook.ts";

export const strategyNames = [
  "fixed",
  "cost-optimized",
  "escalate",
  "plan-then-execute",
  "adaptive",
] as const;
/** Sections of the prompt with their own size limit. */
export const sectionNames: readonly string[] = [
  ...["stuck", "attempts", "learnings", "notes", "hivemind", "skills"],
  ...["structured-context", "journal", "status"],
];

/** The setting that a group's single value is, as in `workers: 4`. */
export const shortForms: Readonly<Record<string, string>> = { workers: "workers.count" };

type StrategyName = (typeof strategyNames)[number];

/** All settings, which `keys.ts` describes, with defaults filled in and durations in milliseconds. */
export interface Settings {
  readonly review: { readonly agent: string | null; readonly model: string | null };
  /** In order of preference: the next one is used while the first is rate-limited. */
  readonly agent: readonly string[];
  readonly agents: AgentSettings;
  readonly model: string | null;
  /** Null when not configured; an empty list when a person configured none. */
  readonly verify: readonly VerifyCommand[] | null;
  readonly allow: readonly string[];
  readonly strategy: StrategyName;
  readonly taskValueUsd: number | null;
  readonly prices: ModelPrices;
  readonly completion: "signal" | "verified";
  readonly onFailure: "keep" | "rollback";
  readonly limits: RunLimits;
  readonly verifyGuard: VerifyGuard;
  readonly scope: string | null;
  readonly workers: { readonly count: number; readonly remote: string | null };
  readonly protect: readonly string[];
  readonly verifySetup: readonly VerifyCommand[];
  readonly sync: "auto" | "ask" | "off";
  readonly verifyBaseline: "auto" | "off";
  readonly commit: { readonly template: string | null; readonly enabled: boolean };
  readonly sandbox: SandboxSettings;
  readonly memory: {
    readonly enabled: boolean;
    readonly budgetChars: number;
    readonly maxLearnings: number;
    readonly holdout: number | null;
    readonly select: "words" | "agent";
    readonly summarizeAbove: number;
    /** Ages in milliseconds. */
    readonly prune: {
      readonly reportsMs: number;
      readonly metricsMs: number;
      readonly learningsMs: number;
      readonly unusedMs: number;
    };
    readonly sections: Readonly<Record<string, number>>;
  };
  readonly events: { readonly dir: string | null; readonly hooks: readonly EventHookSettings[] };
  readonly learnings: {
    readonly dir: string;
    readonly extract: "off" | "failures" | "all";
    readonly extractModel: string | null;
    readonly extractBudgetUsd: number;
  };
  readonly skills: {
    readonly enabled: boolean;
    readonly dirs: readonly string[];
    readonly layout: "skills" | "commands";
    readonly fileRules: Readonly<Record<string, readonly string[]>>;
    readonly aggregateEvery: number;
    readonly autoAccept: boolean;
    readonly writer: "template" | "agent";
  };
  readonly journal: {
    /** As written: absolute, with a leading `~/`, or relative to the project; null: the default. */
    readonly dir: string | null;
    readonly change: string | null;
  };
  readonly hivemind: { readonly store: string };
  readonly mcp: { readonly enabled: boolean };
  readonly store: string;
}

/** The origin of a value: `default`, `flag --model`, `RALPH_MODEL`, or a file's path. */
type Origin = string;

/** The result of `loadSettings`. */
export interface LoadedSettings {
  readonly settings: Settings;
  /** By dotted key (`limits.maxAttempts`), durations as text. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /** By dotted key. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** The project's own file, which needs approval because its content decides what ralph executes. */
  readonly projectFile: { readonly path: string; readonly sha256: string } | null;
  /** Keys of the user's own file that another source overrides. */
  readonly overridden: readonly string[];
  readonly warnings: readonly string[];
}
