import type { EventType, RalphEvent } from "./event.ts";

/** Task counts as the last line of a run tells them. */
export interface TaskCounts {
  readonly done: number;
  readonly failed: number;
  readonly blocked: number;
  readonly pending: number;
}

/** What a run came to (LOOP-17). */
export interface RunReport {
  readonly attempts: number;
  /** Of them. */
  readonly done: number;
  /** Time of agents and verification, interrupted iterations included. */
  readonly agentMs: number;
  /** Most attempts first. `costUsd` is the sum of what was told; `unpriced` attempts told nothing. */
  readonly byModel: readonly {
    readonly model: string;
    readonly attempts: number;
    readonly done: number;
    readonly costUsd: number | null;
    readonly unpriced: number;
    readonly durationMs: number;
  }[];
  /** In the order in which they were first tried; `done`: by the last attempt of this run. */
  readonly tasks: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly attempts: number;
    readonly done: boolean;
    readonly durationMs: number;
  }[];
  /** Iterations that burned no attempt, by why; `waitedMs`: from their end until the run went on. */
  readonly interruptions: readonly {
    readonly kind: string;
    readonly times: number;
    readonly waitedMs: number;
  }[];
  readonly commits: readonly { readonly taskId: string; readonly hash: string; readonly subject: string }[];
  readonly memory: {
    readonly captured: readonly { readonly what: string; readonly count: number }[];
    readonly helped: readonly { readonly id: string; readonly how: string }[];
  };
}

/** What a run tells while it goes, by type. Every field is plain JSON; times are milliseconds, money US dollars. */
export interface RunEvents {
  "run.started": {
    readonly runId: string;
    readonly agent: string;
    readonly model: string | null;
    readonly strategy: string;
    readonly permission: string;
    readonly isolation: string;
    readonly verification: readonly string[];
    readonly branch: string | null;
    readonly tasks: TaskCounts;
    readonly warnings: readonly string[];
  };
  "run.recovered": {
    readonly claims: number;
    readonly processes: number;
    readonly commits: number;
    /** Locks that a killed git had left. */
    readonly locks: number;
    /** What was put back of git's configuration and hooks, each with where its last form is kept. */
    readonly warnings?: readonly string[];
  };
  "run.paused": { readonly [none: string]: never };
  "run.resumed": { readonly [none: string]: never };
  "run.finished": {
    readonly reason: string;
    readonly exitCode: number;
    readonly tasks: TaskCounts;
    readonly iterations: number;
    readonly costUsd: number | null;
    readonly durationMs: number;
    /** One sentence for people. */
    readonly summary: string;
    readonly hint: string | null;
    /** Tasks that need a person, each with its reason. */
    readonly needs: readonly { readonly id: string; readonly title: string; readonly reason: string }[];
    /** Tasks that only wait for one of those, each with whom it waits for. */
    readonly waiting: readonly {
      readonly id: string;
      readonly title: string;
      readonly waitsFor: readonly string[];
    }[];
    /** The next command to type; null when all is done. */
    readonly next: string | null;
    /** Null: the store could not be read any more. */
    readonly report: RunReport | null;
  };
  "iteration.started": {
    readonly iteration: number;
    readonly taskId: string;
    readonly title: string;
    readonly attempt: number;
    /** The number of the last attempt that may be made; 0: no limit. */
    readonly maxAttempts: number;
    readonly agent: string;
    readonly model: string;
    readonly rationale: string;
    readonly promptChars: number;
    /** Section name → number of memories in it. */
    readonly memory: Readonly<Record<string, number>>;
    /** What did not fit into the budget, each with why. */
    readonly dropped: readonly string[];
    /** An agent's `<next-model>` chose the model, not the strategy. */
    readonly overridden: boolean;
  };
  "iteration.finished": {
    readonly iteration: number;
    readonly taskId: string;
    readonly title: string;
    readonly attempt: number;
    readonly outcome: string;
    readonly verification: string | null;
    readonly reason: string;
    readonly category: string | null;
    readonly errorExcerpt: string;
    /** The part of it that a person looks for first. */
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
    /** The model that answered, where `model` may be an alias. */
    readonly agentModel: string | null;
    readonly sessionId: string | null;
    readonly stopReason: string | null;
    /** Why the agent ended without a result, such as `max_turns`. */
    readonly errorKind: string | null;
    /** What the agent asked to do and was not allowed, such as `Bash(npm install)`. */
    readonly permissionDenials: readonly string[];
    /** What a person can do about it. */
    readonly hint: string | null;
    readonly durationMs: number;
    readonly taskStatus: string;
    readonly unblocked: readonly string[];
    /** Ids of the smaller tasks that the agent proposed and ralph made. */
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
  };
  "agent.activity": {
    readonly iteration: number;
    readonly kind: string;
    readonly text: string;
  };
  "agent.finished": {
    readonly iteration: number;
    readonly durationMs: number;
    readonly error: string | null;
    readonly survivorsKilled: number;
  };
  "verification.started": { readonly taskId: string; readonly command: string };
  "verification.finished": {
    readonly taskId: string;
    readonly command: string;
    readonly passed: boolean;
    readonly reason: string;
    readonly durationMs: number;
  };
  "commit.created": {
    readonly taskId: string;
    readonly hash: string;
    readonly subject: string;
    readonly files: number;
  };
  "commit.failed": { readonly taskId: string; readonly error: string; readonly hint: string | null };
  "source.unticked": { readonly taskId: string; readonly path: string; readonly error: string };
  "limit.waiting": {
    readonly agent: string;
    /** Part of the names of the models that it holds for; null: all of the agent's. */
    readonly model: string | null;
    /** `rate_limit`, `overloaded` or `network`. */
    readonly kind: string;
    readonly message: string;
    /** When the agent is called again, ISO 8601. */
    readonly until: string;
    /** What the agent said, ISO 8601. */
    readonly resetAt: string | null;
    readonly waitMs: number;
    /** An earlier run met it; this one has called no agent yet. */
    readonly earlier: boolean;
  };
  "limit.over": { readonly agent: string; readonly model: string | null };
  /** `agent` is limited until then; `standIn`, a later one in the list, works meanwhile. */
  "limit.fallback": {
    readonly agent: string;
    readonly standIn: string;
    readonly kind: string;
    readonly until: string;
  };
  /** Of `events.hooks`, or of `events.dir`: what it was not told, and why. */
  "memory.failed": {
    readonly kind: string;
    /** `recall`, `capture`, `embeddings`, … */
    readonly step: string;
    readonly error: string;
  };
  "hook.failed": { readonly hook: string; readonly event: string; readonly error: string };
  "salvage.saved": { readonly taskId: string; readonly ref: string; readonly files: number };
  "salvage.restored": {
    readonly taskId: string;
    readonly ref: string;
    readonly conflicts: readonly string[];
  };
}

export type RunEventType = keyof RunEvents & EventType;

/** The fields of `event` when it is of `type`. */
export function fieldsOf<T extends RunEventType>(event: RalphEvent, type: T): RunEvents[T] | undefined {
  return event.type === type ? (event as unknown as RunEvents[T]) : undefined;
}
