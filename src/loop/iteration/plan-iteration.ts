import type { Agent, AgentRequest } from "../../agents/port/agent.ts";
import type { PlannedAttempt } from "../../base/attempt-ref.ts";
import { newId } from "../../base/ids.ts";
import type { Prompt } from "../../context/prompt.ts";
import type { Memory } from "../../memory/memory.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { selectModel } from "../../strategy/select-model.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import type { RunOptions } from "../rows/loop.ts";
import type { WorkspaceState } from "../rows/workspace-state.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";
import { interruptedWork } from "../tree/interrupted-work.ts";
import { type PromptOptions, preparePrompt } from "./prepare-prompt.ts";

/** The next attempt at a task, decided but not begun. */
export interface IterationPlan extends PlannedAttempt {
  readonly task: Task;
  readonly agent: Agent;
  /** Number of the iteration within the run, from 1. */
  readonly number: number;
  readonly model: string;
  readonly rationale: string;
  /** True: an agent's `<next-model>` chose the model, not the strategy (STRAT-3). */
  readonly overridden: boolean;
  readonly prompt: Prompt;
  /** The seed of the prompt's fences. */
  readonly seed: string;
  /** Null: the agent has none. */
  readonly journal: AgentRequest["journal"];
}

export interface PlanSource {
  readonly db: Reader;
  readonly memory: Memory;
  readonly runId: string;
  readonly root: string;
  /** Null: the prompt does not mention what an interrupted session left in the tree. */
  readonly workspace: Workspace | null;
  readonly options: PromptOptions & Pick<RunOptions, "strategy" | "flagModel">;
}

interface PlanRequest {
  readonly task: Task;
  readonly agent: Agent;
  /** Cheap, middle, strong: the agent's models that may be called now; absent: all. */
  readonly tiers?: readonly [string, ...string[]];
  readonly number: number;
  /** The state of the tree that the task finds; absent: as it is stored. */
  readonly state?: WorkspaceState;
  /** Milliseconds until the run's deadline; absent: it has none. */
  readonly remainingMs?: number | null;
  /** The seed of the prompt's fences; absent: a random one. */
  readonly seed?: string;
  /** The command of the project's verification that fails before the attempt. */
  readonly failedBefore?: CheckResult | null;
}

/** Chooses the model for the task's next attempt and builds its prompt from memory. Reads only. */
export async function planIteration(source: PlanSource, request: PlanRequest): Promise<IterationPlan> {
  const { db, memory, runId, root, workspace, options } = source;
  const { task, agent, tiers = agent.tiers, number, seed = newId("seed", 16) } = request;
  const choice = await selectModel(db, {
    strategy: options.strategy,
    tiers,
    defaultModel: agent.defaultModel,
    flagModel: options.flagModel,
    task,
    iteration: number,
  });
  const attempt = (await lastAttempt(db, task.id)) + 1;
  const state = request.state ?? (await readWorkspaceState(db));
  const interrupted = workspace && (await interruptedWork({ db, workspace }, task, state));
  const { model, rationale } = choice;
  const journal = await memory.journalOf(task);
  const prompt = await preparePrompt({
    db,
    memory,
    task,
    attempt,
    runId,
    iteration: number,
    seed,
    listsSkills: agent.listsSkills,
    model,
    rationale,
    tiers,
    root,
    interrupted,
    remainingMs: request.remainingMs ?? null,
    failedBefore: request.failedBefore ?? null,
    journal,
    options,
  });
  return { runId, taskId: task.id, attempt, task, agent, number, ...choice, prompt, seed, journal };
}
