import { join } from "node:path";
import type { Agent } from "../agents/agent.ts";
import type { IsolationLevel } from "../agents/isolation.ts";
import type { Clock } from "../base/clock.ts";
import type { Owner } from "../base/owner.ts";
import type { VerifyCommand } from "../base/verify-command.ts";
import type { PromptTemplate } from "../context/template.ts";
import type { EventLog } from "../events/event-log.ts";
import type { Memory } from "../memory/memory.ts";
import type { Db, TransactionOptions, Tx } from "../store/db.ts";
import type { StrategyName } from "../strategy/select-model.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What a run is told to do: plain values, already resolved and approved. */
export interface RunOptions {
  /** Only these tasks; null: all. */
  readonly only: readonly string[] | null;
  readonly flagModel: string | null;
  readonly strategy: StrategyName;
  readonly completion: "signal" | "verified";
  readonly onFailure: "keep" | "rollback";
  /** 0 or null: no limit. */
  readonly maxIterations: number;
  readonly maxAttempts: number;
  readonly stuckAfter: number;
  /** Age at which a finished task's strategy metrics are archived. */
  readonly pruneMetricsMs: number;
  readonly budgetUsd: number | null;
  readonly maxDurationMs: number | null;
  readonly taskTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** The project's verification; a task's own comes before it. */
  readonly verify: readonly VerifyCommand[];
  readonly verifyGuard: "report" | "strict";
  readonly commitTemplate: string | null;
  readonly commitEnabled: boolean;
  readonly allowDirty: boolean;
  /** Calls agents that an earlier run left limited. */
  readonly ignoreLimits: boolean;
  /** To be made and worked on; null: the branch that HEAD is on. */
  readonly branch: string | null;
  readonly memory: MemoryOptions;
  /** Text of `--spec`, shown as context. */
  readonly spec: string | null;
  /** The person's own shape of the prompt; null: the built-in one. */
  readonly template: PromptTemplate | null;
  readonly session: string | null;
}

interface MemoryOptions {
  readonly enabled: boolean;
  readonly budgetChars: number;
  readonly sections: Readonly<Record<string, number>>;
}

/** Asking a model what a session taught (LEARN-2): when, whom, and for how much. */
export interface Extraction {
  readonly when: "failures" | "all";
  /** With the least permission that it has: it only reads what it is told. */
  readonly agent: Agent;
  readonly model: string;
  /** For one run: no session is begun once so much is spent. */
  readonly budgetUsd: number;
  /** What the run spent so far; counted here, as a run has one. */
  readonly spent: { usd: number; unpriced: number; failures: number };
}

/** The world of one run. Everything that lives longer than an iteration and is not a database row is here. */
export interface Loop {
  readonly runId: string;
  readonly root: string;
  /** `.ralph`, absolute. */
  readonly folder: string;
  readonly db: Db;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly memory: Memory;
  /** In order: the next is used when one is limited. */
  readonly agents: readonly [Agent, ...Agent[]];
  /** The environment of verification commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly owner: Owner;
  readonly isolation: IsolationLevel;
  readonly options: RunOptions;
  /** Who is asked what a session taught; null: nobody (LEARN-2). */
  readonly extraction: Extraction | null;
  /** Aborted when a person asks to stop: the agent is ended, what happened recorded, the claim released. */
  readonly stop: AbortSignal;
  /** Aborted when a person asks a second time: the agent is killed at once. */
  readonly forceStop: AbortSignal;
}

/** Where an iteration's raw stream is kept. */
export function sessionLog(
  { folder, runId }: Pick<Loop, "folder" | "runId">,
  { number, id }: { readonly number: number; readonly id: string },
): string {
  return join(folder, "logs", runId, `${number}-${id}.log`);
}

/** Runs `work` in one transaction, then lets its events go out. */
export async function commit<T>(
  loop: Pick<Loop, "db" | "log">,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const result = await loop.db.transaction(work, options);
  await loop.log.flush();
  return result;
}

/** As `write`, but its events go out while the loop waits for the next process: for what every iteration writes. */
export async function commitAndFlushLater<T>(
  loop: Pick<Loop, "db" | "log">,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const result = await loop.db.transaction(work, options);
  await loop.log.flushLater();
  return result;
}
