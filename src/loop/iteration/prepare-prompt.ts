import type { Agent } from "../../agents/port/agent.ts";
import { newId } from "../../base/ids.ts";
import { joinSafe, safe } from "../../base/safe-text.ts";
import type { RunLimits } from "../../base/shared-settings.ts";
import { buildPrompt } from "../../context/build-prompt.ts";
import { builtInTemplate, hasSlot } from "../../context/template.ts";
import type { Memory } from "../../memory/port/memory.ts";
import type { Recalled } from "../../memory/port/memory-kind.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { attemptsOf, lastAttempt } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { type StatusSection, statusSections, strategyInstructions } from "../../strategy/loop-status.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { mayChangeNothing } from "../../tasks/graph/task-graph.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import type { AttemptPrompt, Plan } from "../rows/iteration.ts";
import type { RunOptions } from "../rows/loop.ts";
import { undeliveredMessages } from "../rows/message-store.ts";
import type { WorkspaceState } from "../rows/workspace-state.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";
import { noChanges, onlyUsersFiles } from "../tree/describe-work.ts";
import { interruptedWork } from "../tree/interrupted-work.ts";
import { finishedPrerequisites, listAround, openSpecChange } from "./list-around.ts";
import { verifyCommandsFor } from "./verify-commands.ts";

/** The run options that a prompt depends on. */
type PromptOptions = Pick<RunOptions, "onFailure" | "verify" | "spec" | "template"> & {
  readonly memory: Omit<RunOptions["memory"], "prune">;
  readonly limits: Pick<RunLimits, "maxIterations" | "maxAttempts" | "stuckAfter" | "taskTimeoutMs">;
};

export interface PromptSource {
  readonly db: Reader;
  readonly memory: Memory;
  readonly runId: string;
  readonly root: string;
  /** Null: the prompt does not mention what an interrupted session left in the tree. */
  readonly workspace: Workspace | null;
  readonly options: PromptOptions;
}

interface PromptOf {
  readonly task: Task;
  readonly plan: Pick<Plan, "model" | "rationale" | "tiers"> & {
    readonly agent: Pick<Agent, "listsSkills">;
  };
  /** Number of the iteration within the run, from 1. */
  readonly number: number;
  /** The state of the tree that the task finds; absent: as it is stored. */
  readonly state?: WorkspaceState;
  /** Milliseconds until the run's deadline; absent: it has none. */
  readonly remainingMs?: number | null;
  /** The seed of the prompt's fences; absent: a random one. */
  readonly seed?: string;
  /** The command of the project's verification that fails before the attempt; absent: none that is known. */
  readonly failedBefore?: CheckResult | null;
}

/** Builds the prompt of the task's next attempt from the task, memory, messages and settings. Reads only. */
export async function preparePrompt(source: PromptSource, asked: PromptOf): Promise<AttemptPrompt> {
  const { db, memory, runId, options } = source;
  const { task, plan, number, seed = newId("seed", 16) } = asked;
  const { maxIterations, maxAttempts, stuckAfter, taskTimeoutMs } = options.limits;
  const attempt = (await lastAttempt(db, task.id)) + 1;
  const { listsSkills } = plan.agent;
  const request = { task, attempt, runId, iteration: number, seed, listsSkills };
  const { model, rationale } = plan;
  const limits = { maxIterations, maxAttempts, stuckAfter };
  const status = await statusSections(db, { ...request, model, rationale, ...limits });
  const recalled = [
    ...(await memory.recall(request)),
    // `--no-memory` never hides the stuck warning (STRAT-6).
    ...status.filter(({ name }) => name === "stuck" || options.memory.enabled).map(asRecalled),
  ];
  const template = options.template ?? builtInTemplate;
  const journal = await memory.journalOf(task);
  const shown = recalled.filter(({ section }) => hasSlot(template, section));
  const instructions = [await memory.instructions(shown), strategyInstructions].filter(Boolean);
  const prompt = buildPrompt({
    task: { ...task, allowNoChange: await mayChangeNothing(db, task) },
    attempt,
    attemptsLeft: maxAttempts > 0 ? Math.max(0, task.attemptsBefore + maxAttempts - attempt) : null,
    timeoutMs: taskTimeoutMs > 0 ? taskTimeoutMs : null,
    runEndsInMs: asked.remainingMs ?? null,
    root: source.root,
    parent: (task.parentId === null ? undefined : await getTask(db, task.parentId)) ?? null,
    list: await listAround(db, task, source.root),
    prerequisites: await finishedPrerequisites(db, task.id),
    change: await openSpecChange(db, task, source.root),
    spec: options.spec,
    leftovers: attempt > 1 && options.onFailure === "keep" && (await hasLeftovers(db, task)),
    interrupted: await interrupted(source, asked),
    failedBefore: asked.failedBefore ?? null,
    messages: await undeliveredMessages(db, task.id),
    journal,
    recalled,
    instructions: joinSafe(instructions, "\n"),
    checks: verifyCommandsFor({ options }, { task }),
    models: plan.tiers,
    seed,
    budget: { chars: options.memory.budgetChars, sections: options.memory.sections },
    template,
  });
  return { attempt, number, prompt, seed, journal };
}

async function interrupted({ db, workspace }: PromptSource, { task, state }: PromptOf) {
  return (
    workspace && interruptedWork({ db, workspace }, task, state ?? (await readWorkspaceState(db, workspace)))
  );
}

/** Returns true if the task's last attempt left changes. */
async function hasLeftovers(db: Reader, { id }: Task): Promise<boolean> {
  const last = (await attemptsOf(db, id)).at(-1);
  return (
    last !== undefined && last.outcome !== "done" && last.tree !== noChanges && last.tree !== onlyUsersFiles
  );
}

/** Returns the section as one item: the stuck warning is never dropped, the status is shown whole or not at all. */
function asRecalled({ name, heading, text, reason }: StatusSection): Recalled {
  const items = [{ id: name, text, short: safe``, score: 1, reason }];
  return {
    section: name,
    heading,
    lead: safe``,
    items,
    tail: safe``,
    drop: name === "stuck" ? "never" : "last",
  };
}
