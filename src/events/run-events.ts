import type { AttemptRef } from "../base/attempt-ref.ts";
import type { EventType, RalphEvent } from "./event.ts";
import type { CommittedDiff, GivenUp, ModelOffer, RunReport } from "./run-summary.ts";

/** Task counts for the last line of a run. */
export interface TaskCounts {
  readonly done: number;
  readonly failed: number;
  readonly blocked: number;
  readonly pending: number;
}

type Salvage = { readonly taskId: string; readonly ref: string };
type Waiting = { readonly id: string; readonly title: string; readonly waitsFor: readonly string[] };
type Check = { readonly taskId: string; readonly command: string };

/** The fields of a run's events, by type. All are plain JSON; times are in milliseconds, money in US dollars. */
export interface RunEvents {
  "run.started": {
    readonly runId: string;
    readonly agent: string;
    readonly model: string | null;
    readonly strategy: string;
    /** The first agent's models, cheap to strong. */
    readonly tiers: readonly string[];
    readonly permission: string;
    /** Who pays for the first agent's sessions: `subscription`, or the variable with the key; null: unknown. */
    readonly payment: string | null;
    readonly isolation: string;
    readonly verification: readonly string[];
    readonly branch: string | null;
    /** Null: it works in the project's own tree. */
    readonly workers: number | null;
    /** Null: no limit. */
    readonly budgetUsd: number | null;
    readonly tasks: TaskCounts;
    readonly warnings: readonly string[];
  };
  "run.recovered": {
    readonly claims: number;
    readonly processes: number;
    readonly commits: number;
    /** Lock files left by a killed git. */
    readonly locks: number;
    /** Restored parts of git's configuration and hooks, each with the path where the replaced version is kept. */
    readonly warnings?: readonly string[];
  };
  "run.paused": { readonly [none: string]: never };
  "run.resumed": { readonly [none: string]: never };
  "run.finished": {
    /** Of a run with workers: no tree has this branch checked out. */
    readonly landedOn?: string;
    /** The command that takes what landed; absent: HEAD has it. */
    readonly take?: string;
    readonly reason: string;
    readonly exitCode: number;
    readonly tasks: TaskCounts;
    /** Those that began, interrupted ones too. */
    readonly iterations: number;
    readonly costUsd: number | null;
    readonly durationMs: number;
    /** One sentence for people. */
    readonly summary: string;
    readonly hint: string | null;
    /** Tasks that need a person, with the reason. */
    readonly needs: readonly { readonly id: string; readonly title: string; readonly reason: string }[];
    /** Tasks that only wait for tasks in `needs`, with those tasks' ids. */
    readonly waiting: readonly Waiting[];
    /** Imported files with open items that are no tasks yet, such as those that an agent added; absent: none. */
    readonly notImported?: readonly { readonly path: string; readonly items: number }[];
    /** The next command to run; null when everything is done. */
    readonly next: string | null;
    /** Null when the store can no longer be read. */
    readonly report: RunReport | null;
  };
  "iteration.started": Pick<AttemptRef, "taskId" | "attempt"> & {
    readonly iteration: number;
    readonly title: string;
    /** The number of the last allowed attempt; 0: no limit. */
    readonly maxAttempts: number;
    readonly agent: string;
    readonly model: string;
    readonly rationale: string;
    readonly promptChars: number;
    /** The number of memories by section name. */
    readonly memory: Readonly<Record<string, number>>;
    /** Memories that did not fit into the budget, with the reason. */
    readonly dropped: readonly string[];
    /** True when an agent's `<next-model>` chose the model instead of the strategy. */
    readonly overridden: boolean;
    /** The expectations of the strategy `adaptive`, its choice first. */
    readonly offers: readonly ModelOffer[];
  };
  /** No attempt at the task is worth its price: it waits for a person. */
  "task.givenup": GivenUp;
  "iteration.finished": Pick<AttemptRef, "taskId" | "attempt"> &
    CommittedDiff & {
      readonly iteration: number;
      readonly title: string;
      readonly outcome: string;
      readonly verification: string | null;
      readonly reason: string;
      readonly category: string | null;
      readonly errorExcerpt: string;
      /** The part of the error that a person reads first. */
      readonly errorHeadline: string;
      readonly files: readonly string[];
      readonly warnings: readonly string[];
      readonly model: string;
      readonly costUsd: number | null;
      /** `measured`, `price-table` or `guessed`. */
      readonly costSource: string | null;
      readonly tokensInput: number | null;
      readonly tokensOutput: number | null;
      readonly tokensCacheRead: number | null;
      readonly tokensCacheWrite: number | null;
      /** The model that answered; `model` may be an alias. */
      readonly agentModel: string | null;
      readonly sessionId: string | null;
      readonly stopReason: string | null;
      /** As in `agent.finished`. */
      readonly contextUsed: number | null;
      readonly contextSize?: number | null;
      readonly compactions?: number | null;
      /** Why the agent ended without a result, such as `max_turns`. */
      readonly errorKind: string | null;
      /** Actions that the agent requested and was denied, such as `Bash(npm install)`. */
      readonly permissionDenials: readonly string[];
      /** A suggested fix for a person. */
      readonly hint: string | null;
      readonly durationMs: number;
      readonly taskStatus: string;
      /** Why the attempt does not count, for a `taskStatus` of `lost`; else null. */
      readonly notCounted: string | null;
      readonly unblocked: readonly string[];
      /** Ids of the smaller tasks that the agent proposed and ralph created. */
      readonly splitInto: readonly string[];
      readonly splitRefused: string | null;
    };
  "iteration.interrupted": {
    readonly iteration: number;
    readonly taskId: string;
    readonly title: string;
    readonly kind: string;
    readonly message: string;
    readonly hint: string | null;
    readonly resetAt: string | null;
    /** `blocked` when only a person can remove the cause. */
    readonly taskStatus?: string;
    /** Acts of its agent that were undone. */
    readonly warnings?: readonly string[];
  };
  "agent.activity": { readonly iteration: number; readonly kind: string; readonly text: string };
  /** A person's message that the working agent got (`ralph message --now`). */
  "message.passed": { readonly messageId: string; readonly taskId: string; readonly agent: string };
  "agent.finished": {
    readonly iteration: number;
    readonly durationMs: number;
    readonly error: string | null;
    readonly survivorsKilled: number;
    /** Tokens of the model's last request, and tokens that fit into its context; null: unknown. */
    readonly contextUsed: number | null;
    readonly contextSize: number | null;
    /** How often the agent summarized its context; null: unknown. */
    readonly compactions: number | null;
  };
  "baseline.started": {
    readonly commands: readonly string[];
    /** True: one error stopped two tasks, and the baseline is checked again. */
    readonly again: boolean;
  };
  "baseline.finished": {
    readonly passed: boolean;
    readonly again: boolean;
    /** The command that failed; null: none. */
    readonly command: string | null;
    readonly reason: string | null;
    /** The commands that failed once and passed when repeated, a sentence each. */
    readonly flaky: readonly string[];
    readonly errorExcerpt: string;
    readonly errorHeadline: string;
    readonly durationMs: number;
    /** Names what changed in the project meanwhile, which stays. */
    readonly warnings: readonly string[];
  };
  "verification.started": Check;
  "verification.finished": Check & {
    readonly passed: boolean;
    readonly reason: string;
    readonly durationMs: number;
  };
  "commit.created": {
    readonly taskId: string;
    readonly hash: string;
    readonly subject: string;
    readonly files: number;
    /** The commits that the agent made before it, oldest first. */
    readonly own: readonly { readonly hash: string; readonly subject: string }[];
  };
  /** Git takes longer than two seconds: for the program that signs, if commits are signed, or a hook. Null: ralph only tries it. */
  "commit.waiting": { readonly taskId: string | null; readonly signing: boolean };
  "commit.failed": { readonly taskId: string; readonly error: string; readonly hint: string | null };
  /** A skill's files got a commit of their own. */
  "skill.committed": {
    readonly skill: string;
    readonly kind: "accept" | "change" | "retire" | "restore";
    readonly hash: string;
    readonly files: readonly string[];
  };
  /** `skills.autoAccept` could not accept a proposal; it waits for a person. */
  "skill.postponed": {
    readonly id: string;
    readonly skill: string;
    readonly error: string;
    readonly hint: string | null;
  };
  "source.unticked": { readonly taskId: string; readonly path: string; readonly error: string };
  /** The changes of an imported task list that were adopted; `changes` has the first of `total`. */
  "list.synced": {
    readonly path: string;
    readonly total: number;
    readonly changes: readonly {
      readonly kind: string;
      readonly id: string;
      readonly title: string;
      readonly was?: string;
    }[];
  };
  "list.warned": { readonly path: string; readonly warnings: readonly string[] };
  "limit.waiting": {
    readonly agent: string;
    /** A part of the names of the limited models; null: all of the agent's models. */
    readonly model: string | null;
    /** `rate_limit`, `overloaded` or `network`. */
    readonly kind: string;
    readonly message: string;
    /** When the agent is called again (ISO 8601). */
    readonly until: string;
    /** The reset time that the agent stated (ISO 8601). */
    readonly resetAt: string | null;
    readonly waitMs: number;
    /** True when an earlier run hit the limit and this run has not called the agent yet. */
    readonly earlier: boolean;
  };
  "limit.over": { readonly agent: string; readonly model: string | null };
  /** `agent` is limited until `until`; `standIn`, a later agent in the list, replaces it. */
  "limit.fallback": {
    readonly agent: string;
    readonly standIn: string;
    readonly kind: string;
    readonly until: string;
  };
  /** A model whose cost is neither stated by its agent nor in the price table; published once per run and model. */
  "cost.unknown": {
    readonly agent: string;
    readonly model: string;
    /** The run's budget, which does not count the model's sessions; null: none. */
    readonly budgetUsd: number | null;
  };
  "memory.failed": {
    readonly kind: string;
    /** `recall`, `capture`, … */
    readonly step: string;
    readonly error: string;
  };
  /** A failed delivery to a hook of `events.hooks` or to `events.dir`, with the reason. */
  "hook.failed": { readonly hook: string; readonly event: string; readonly error: string };
  "salvage.saved": Salvage & {
    readonly files: number;
    /** The first of them. */
    readonly paths: readonly string[];
    /** It left a work tree of ralph's own, in which no person works. */
    readonly isolated?: true;
  };
  "salvage.restored": Salvage & { readonly conflicts: readonly string[] };
}

export type RunEventType = keyof RunEvents & EventType;

/** Returns the fields of `event` when it has this type, else `undefined`. */
export function fieldsOf<T extends RunEventType>(event: RalphEvent, type: T): RunEvents[T] | undefined {
  return event.type === type ? (event as unknown as RunEvents[T]) : undefined;
}
