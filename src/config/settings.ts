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

/** All settings, with defaults filled in and durations in milliseconds. */
export interface Settings {
  /** The agent that reviews verified work; null: none. `model` null: the agent's own. */
  readonly review: { readonly agent: string | null; readonly model: string | null };
  /** In order of preference: the next one is used while the first is rate-limited. */
  readonly agent: readonly string[];
  readonly agents: AgentSettings;
  readonly model: string | null;
  /** Null when not configured; an empty list when a person configured none. */
  readonly verify: readonly VerifyCommand[] | null;
  /** More command lines that agents may run at the permission `edit`. */
  readonly allow: readonly string[];
  readonly strategy: StrategyName;
  /** The value of a finished task in dollars, for the strategy `adaptive`; null: six mean attempts of the strongest model. */
  readonly taskValueUsd: number | null;
  readonly prices: ModelPrices;
  readonly completion: "signal" | "verified";
  readonly onFailure: "keep" | "rollback";
  readonly limits: RunLimits;
  readonly verifyGuard: VerifyGuard;
  /** The folder to which the project is limited, relative to its root; null: the whole repository. */
  readonly scope: string | null;
  readonly workers: {
    /** How many tasks are worked on at once. */
    readonly count: number;
    /** The git remote on whose branch work lands; null: it lands in this clone. */
    readonly remote: string | null;
  };
  /** Globs of more files that define verification. */
  readonly protect: readonly string[];
  /** Prepare the work tree of `verifyGuard: clean`. */
  readonly verifySetup: readonly VerifyCommand[];
  readonly sync: "auto" | "ask" | "off";
  readonly verifyBaseline: "auto" | "off";
  readonly commit: { readonly template: string | null; readonly enabled: boolean };
  readonly sandbox: SandboxSettings;
  readonly memory: {
    readonly enabled: boolean;
    readonly budgetChars: number;
    /** Maximum learnings in a prompt. */
    readonly maxLearnings: number;
    /** Share of iterations without learnings, from 0 to 1, to measure their effect; null: by the number of tasks. */
    readonly holdout: number | null;
    /** agent: a model chooses learnings for the next tasks where it answers in time. */
    readonly select: "words" | "agent";
    /** Number of active learnings above which similar ones are merged. */
    readonly summarizeAbove: number;
    /** Ages in milliseconds. */
    readonly prune: {
      readonly reportsMs: number;
      readonly metricsMs: number;
      readonly learningsMs: number;
      readonly unusedMs: number;
    };
    /** Maximum characters of single sections, by section name. */
    readonly sections: Readonly<Record<string, number>>;
  };
  readonly events: { readonly dir: string | null; readonly hooks: readonly EventHookSettings[] };
  readonly learnings: {
    /** The folder of record files, relative to the project's root. */
    readonly dir: string;
    readonly extract: "off" | "failures" | "all";
    /** Null: the agent's cheapest. */
    readonly extractModel: string | null;
    /** Maximum cost of one run. */
    readonly extractBudgetUsd: number;
  };
  readonly skills: {
    readonly enabled: boolean;
    /** Folders with one folder per skill, relative to the project's root. */
    readonly dirs: readonly string[];
    readonly layout: "skills" | "commands";
    /** Tags by the glob of the files that add them. */
    readonly fileRules: Readonly<Record<string, readonly string[]>>;
    /** Verified tasks after which a run aggregates records. */
    readonly aggregateEvery: number;
    /** Accept proposals between iterations, each in a commit of its own. */
    readonly autoAccept: boolean;
    /** agent: a model rewrites proposed skills. */
    readonly writer: "template" | "agent";
  };
  readonly journal: {
    /** As written: absolute, with a leading `~/`, or relative to the project; null: the default. */
    readonly dir: string | null;
    readonly change: string | null;
  };
  /** `auto`, `off`, or the path of a file. */
  readonly hivemind: { readonly store: string };
  /** Attach ralph's own tools to agents. */
  readonly mcp: { readonly enabled: boolean };
  /** Relative to the project's root. */
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
  /** One line for each unknown `RALPH_*` variable. */
  readonly warnings: readonly string[];
}
