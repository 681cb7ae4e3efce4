import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Agent, AgentResult } from "../../agents/agent.ts";
import type { AgentLimit } from "../../agents/agent-limits.ts";
import type { InterruptedWork, Prompt } from "../../context/prompt.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Task } from "../../tasks/task.ts";
import { type Guard, hooksChanged } from "../../workspace/guard.ts";
import { settleCommits } from "../commit/settle-commits.ts";
import { interruptedWork } from "../interrupted-work.ts";
import { noteCost } from "../iteration-store.ts";
import { judgeAttempt, verifyCommandsFor } from "../judge-attempt.ts";
import { type Loop, sessionLog } from "../loop.ts";
import { preparePrompt } from "../prepare-prompt.ts";
import { maintainProject } from "../run/maintain-project.ts";
import { finishRollback } from "../tree/rollback.ts";
import { switchTreeToTask } from "../tree/switch-tree-to-task.ts";
import { beginIteration, type Iteration } from "./begin-iteration.ts";
import { preflightAll } from "./cannot-verify.ts";
import { extractLearnings } from "./extract-learnings.ts";
import { type Guarded, guardIteration } from "./guard-iteration.ts";
import { type Interruption, interruptionOf, limitWithoutWork, recordInterrupted } from "./interruption.ts";
import { holdLease } from "./lease.ts";
import { recordIteration } from "./record-iteration.ts";

/** What one iteration came to: a judged outcome, an interruption that burns no attempt, or a task lost to another. */
export type IterationEnd =
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly costUsd: number | null }
  | {
      readonly kind: "interrupted";
      readonly interruption: Interruption;
      /** For what the agent is left alone from now on. */
      readonly limit: AgentLimit | null;
      readonly costUsd: number | null;
    }
  | { readonly kind: "taken" };

export interface IterationPlan {
  readonly task: Task;
  readonly agent: Agent;
  /** Cheap, middle, strong: those of the agent's that may be called now. */
  readonly tiers: readonly [string, ...string[]];
  /** Interruptions of the agent in a row before this iteration. */
  readonly interruptions: number;
  /** Within the run, from 1. */
  readonly number: number;
  readonly model: string;
  readonly rationale: string;
  /** An agent's `<next-model>` chose it, not the strategy. */
  readonly overridden: boolean;
  /** Milliseconds that the run has left, null when it has no deadline. */
  readonly remainingMs: number | null;
  /** Memory is to be put in order: while the agent works, as nothing waits for it then. */
  readonly maintainMemory: boolean;
}

/**
 * One iteration: take a task, build its prompt from memory, run the agent, judge the outcome; write outcome, memory,
 * task state and the pending commit in one transaction; let git follow. Throws only for the environment and for bugs.
 */
export async function runIteration(loop: Loop, plan: IterationPlan): Promise<IterationEnd> {
  const attempt = (await lastAttempt(loop.db, plan.task.id)) + 1;
  const {
    state,
    tree,
    ready: prompt,
  } = await switchTreeToTask(loop, plan.task, async (left) =>
    promptFor(loop, plan, { attempt, interrupted: await interruptedWork(loop, plan.task, left) }),
  );
  const iteration = await beginIteration(loop, { ...plan, state, attempt, prompt });
  if (!iteration) return { kind: "taken" };
  const lease = holdLease(loop, iteration);
  try {
    const guarded = await guardIteration(loop, iteration);
    try {
      const maySplit = prompt.sections.some(({ name }) => name === "stuck");
      const { remainingMs, interruptions, maintainMemory: tendMemory } = plan;
      const start = { prompt: prompt.prompt, tree, remainingMs, interruptions, lease, maySplit, tendMemory };
      return await runAndJudge(loop, { iteration, guarded, start });
    } finally {
      await guarded.rows.close();
    }
  } finally {
    lease.stop();
    await rm(iteration.tmpDir, { recursive: true, force: true });
  }
}

async function promptFor(
  loop: Loop,
  plan: IterationPlan,
  found: { readonly attempt: number; readonly interrupted: InterruptedWork | null },
): Promise<Prompt> {
  return preparePrompt({
    db: loop.db,
    memory: loop.memory,
    task: plan.task,
    ...found,
    runId: loop.runId,
    iteration: plan.number,
    model: plan.model,
    rationale: plan.rationale,
    tiers: plan.tiers,
    root: loop.root,
    options: loop.options,
  });
}

interface RunningAttempt {
  readonly iteration: Iteration;
  readonly guarded: Guarded;
  readonly start: AgentStart;
}

async function runAndJudge(loop: Loop, attempt: RunningAttempt): Promise<IterationEnd> {
  const { iteration, guarded, start } = attempt;
  const before = await preflightAll(loop, verifyCommandsFor(loop, iteration));
  const [result] = await Promise.all([
    runAgent(loop, iteration, start),
    start.tendMemory ? maintainProject(loop) : null,
  ]);
  const { costUsd: spent } = result;
  if (spent !== null)
    await loop.db.transaction((tx) => noteCost(tx, iteration.id, spent), { durable: false });
  const interruption =
    interruptionOf(loop, result, start) ??
    (await limitWithoutWork(loop, { iteration, result, tree: start.tree }));
  if (interruption) return await interrupt(loop, attempt, { result, interruption });
  const outcome = await judgeAttempt(loop, { iteration, result, guarded, before });
  if ("kind" in outcome) return await interrupt(loop, attempt, { result, interruption: outcome });
  const hooks = await hooksAreTrusted(loop, { guarded: guarded.files, files: outcome.work.files });
  const next = await recordIteration(loop, { iteration, outcome, hooks, maySplit: start.maySplit });
  await finishRollback(loop);
  const settled = await settleCommits({ ...loop, meanwhile: () => void prefetch(loop, next) });
  const final = settled.find(({ iterationId }) => iterationId === iteration.id)?.outcome ?? outcome;
  const extra = await extractLearnings(loop, iteration, final);
  const costUsd = extra === null ? result.costUsd : (result.costUsd ?? 0) + extra;
  return { kind: "outcome", outcome: final, costUsd };
}

async function interrupt(
  loop: Loop,
  { iteration, guarded, start }: RunningAttempt,
  end: { readonly result: AgentResult; readonly interruption: Interruption },
): Promise<IterationEnd> {
  const inARow = start.interruptions + 1;
  const limit = await recordInterrupted(loop, { ...end, iteration, guarded, consecutive: inARow });
  return { kind: "interrupted", interruption: end.interruption, limit, costUsd: end.result.costUsd };
}

interface AgentStart {
  readonly prompt: string;
  /** What was changed in the tree before it. */
  readonly tree: string;
  readonly remainingMs: number | null;
  readonly interruptions: number;
  readonly lease: { readonly leaseLost: AbortSignal };
  /** The prompt warned that the task is stuck and asked for a split. */
  readonly maySplit: boolean;
  readonly tendMemory: boolean;
}

async function runAgent(loop: Loop, iteration: Iteration, start: AgentStart): Promise<AgentResult> {
  const { options } = loop;
  const timeouts = [options.taskTimeoutMs, start.remainingMs ?? 0].filter((ms) => ms > 0);
  const result = await iteration.agent.run({
    prompt: start.prompt,
    cwd: loop.root,
    model: iteration.model,
    taskId: iteration.taskId,
    runId: loop.runId,
    iteration: iteration.number,
    attempt: iteration.attempt,
    marker: iteration.marker,
    tmpDir: iteration.tmpDir,
    verifyCommands: verifyCommandsFor(loop, iteration).map(({ run }) => run),
    logFile: sessionLog(loop, iteration),
    timeoutMs: timeouts.length > 0 ? Math.min(...timeouts) : null,
    idleTimeoutMs: options.idleTimeoutMs > 0 ? options.idleTimeoutMs : null,
    signal: AbortSignal.any([loop.stop, start.lease.leaseLost]),
    forceSignal: loop.forceStop,
    isolation: loop.isolation,
    onActivity: ({ kind, text }) =>
      loop.log.publish({
        type: "agent.activity",
        runId: loop.runId,
        data: { iteration: iteration.number, kind, text },
      }),
  });
  const { durationMs, error, survivorsKilled } = result;
  const data = { iteration: iteration.number, durationMs, error: error?.kind ?? null, survivorsKilled };
  loop.log.publish({ type: "agent.finished", runId: loop.runId, data });
  return result;
}

/** Prefetches memory for the task that most likely comes next; a wrong guess costs nothing but the search. */
async function prefetch({ memory }: Loop, next: Task | undefined): Promise<void> {
  try {
    if (next) await memory.prefetch(next);
  } catch {
    // It is asked again when it counts.
  }
}

/** Hooks that lie among the project's files (husky) are the agent's once this or an earlier attempt touched them. */
async function hooksAreTrusted(
  loop: Loop,
  work: { readonly guarded: Guard; readonly files: readonly string[] },
): Promise<boolean> {
  const folder = work.guarded.treeHooks?.folder;
  if (folder === undefined) return true;
  const touched = work.files.some((path) => !relative(folder, join(loop.root, path)).startsWith(".."));
  return !touched && !(await hooksChanged(work.guarded));
}
