import { joinSafe, safe } from "../../base/safe-text.ts";
import type { RunLimits } from "../../base/shared-settings.ts";
import { buildPrompt } from "../../context/build-prompt.ts";
import type { InterruptedWork, Prompt, PromptRequest } from "../../context/prompt.ts";
import { builtInTemplate, hasSlot } from "../../context/template.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Recalled, RecallRequest } from "../../memory/port/memory-kind.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { attemptsOf } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { type StatusSection, statusSections, strategyInstructions } from "../../strategy/loop-status.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { mayChangeNothing } from "../../tasks/graph/task-graph.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import type { RunOptions } from "../rows/loop.ts";
import { undeliveredMessages } from "../rows/message-store.ts";
import { noChanges, onlyUsersFiles } from "../tree/changes-since.ts";
import { finishedPrerequisites } from "./finished-work.ts";
import { listAround } from "./list-around.ts";
import { verifyCommandsFor } from "./verify-commands.ts";

/** The run options that a prompt depends on. */
export type PromptOptions = Pick<RunOptions, "onFailure" | "verify" | "spec" | "template"> & {
  readonly memory: Omit<RunOptions["memory"], "prune">;
  readonly limits: Pick<RunLimits, "maxIterations" | "maxAttempts" | "stuckAfter" | "taskTimeoutMs">;
};

interface PromptSource extends RecallRequest {
  readonly db: Reader;
  readonly memory: Memory;
  readonly model: string;
  readonly rationale: string;
  readonly tiers: readonly string[];
  readonly root: string;
  /** Milliseconds until the run's deadline; absent: it has none. */
  readonly remainingMs?: number | null;
  /** The changes that an interrupted session of the task left in the tree; absent: none. */
  readonly interrupted?: InterruptedWork | null;
  /** The command that fails before the attempt; absent: none that is known. */
  readonly failedBefore?: CheckResult | null;
  /** The journal that the agent may write; absent: none. */
  readonly journal?: PromptRequest["journal"];
  readonly options: PromptOptions;
}

/** Builds the prompt of `task` from the task, memory, messages and settings. Reads only. */
export async function preparePrompt(source: PromptSource): Promise<Prompt> {
  const { db, memory, task, attempt, runId, iteration, seed, model, rationale, options } = source;
  const { maxIterations, maxAttempts, stuckAfter, taskTimeoutMs } = options.limits;
  const { listsSkills = null } = source;
  const request = { task, attempt, runId, iteration, seed, listsSkills };
  const status = await statusSections(db, {
    ...request,
    ...{ model, rationale, maxIterations, maxAttempts, stuckAfter },
  });
  const recalled = [
    ...(await memory.recall(request)),
    // `--no-memory` never hides the stuck warning (STRAT-6).
    ...status.filter(({ name }) => name === "stuck" || options.memory.enabled).map(asRecalled),
  ];
  const template = options.template ?? builtInTemplate;
  const parent = task.parentId === null ? undefined : await getTask(db, task.parentId);
  return buildPrompt({
    task: { ...task, allowNoChange: await mayChangeNothing(db, task) },
    attempt,
    attemptsLeft: maxAttempts > 0 ? Math.max(0, task.attemptsBefore + maxAttempts - attempt) : null,
    timeoutMs: taskTimeoutMs > 0 ? taskTimeoutMs : null,
    runEndsInMs: source.remainingMs ?? null,
    root: source.root,
    parent: parent ?? null,
    list: await listAround(db, task, source.root),
    prerequisites: await finishedPrerequisites(db, task.id),
    spec: options.spec,
    leftovers: options.onFailure === "keep" && (await hasLeftovers(db, task)),
    interrupted: source.interrupted ?? null,
    failedBefore: source.failedBefore ?? null,
    messages: await undeliveredMessages(db, task.id),
    journal: source.journal ?? null,
    recalled,
    instructions: joinSafe(
      [
        await memory.instructions(recalled.filter(({ section }) => hasSlot(template, section))),
        strategyInstructions,
      ].filter(Boolean),
      "\n",
    ),
    checks: verifyCommandsFor({ options }, { task }),
    models: source.tiers,
    seed,
    budget: { chars: options.memory.budgetChars, sections: options.memory.sections },
    template,
  });
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
