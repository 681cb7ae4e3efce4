import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { newId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Prompt } from "../../context/prompt.ts";
import { record } from "../../events/outbox-store.ts";
import type { ShownMemory } from "../../memory/memory-kind.ts";
import { claimTask } from "../../tasks/claim-store.ts";
import type { Claim, Task } from "../../tasks/task.ts";
import { guard } from "../../workspace/guard.ts";
import { head } from "../../workspace/status.ts";
import { type IterationRow, insertIteration } from "../iteration-store.ts";
import { commitAndFlushLater, type Loop } from "../loop.ts";
import { areUndelivered, deliverMessages } from "../message-store.ts";
import { countIteration } from "../run-store.ts";
import { type WorkspaceState, writeWorkspaceState } from "../workspace-state-store.ts";

/** An iteration under way. */
export interface Iteration extends IterationRow {
  readonly task: Task;
  readonly claim: Claim;
  readonly agent: Agent;
  /** Whose tree it is: this task's, from `state.baseline` on. */
  readonly state: WorkspaceState;
}

interface IterationStart {
  readonly task: Task;
  readonly agent: Agent;
  readonly number: number;
  readonly model: string;
  readonly rationale: string;
  /** Of the tree that was handed over to the task. */
  readonly state: WorkspaceState;
  readonly attempt: number;
  readonly prompt: Prompt;
  /** An agent's `<next-model>` chose the model (STRAT-3). */
  readonly overridden: boolean;
}

/**
 * Claims the task, writes down the iteration and tells that it begins, in one transaction, before any process starts:
 * a kill from here on leaves a row that the next start finds. Undefined when another process took the task first, or
 * took back a message that stands in the prompt.
 */
export async function beginIteration(loop: Loop, start: IterationStart): Promise<Iteration | undefined> {
  const { task } = start;
  const id = newId("i", 6);
  const tmpDir = join(loop.folder, "tmp", id);
  await mkdir(tmpDir, { recursive: true, mode: 0o700 });
  // Kept over a kill: what the agent planted must not run in the next start's git commands.
  const files = await guard(loop.workspace);
  const headBefore = (await head(loop.workspace)) ?? "";
  const messages = deliveredMessages(start.prompt);
  return commitAndFlushLater(loop, async (tx) => {
    const now = loop.clock.now();
    if (!(await areUndelivered(tx, messages))) return undefined;
    const claim = await claimTask(tx, { taskId: task.id, owner: loop.owner, runId: loop.runId }, now);
    if (!claim) return undefined;
    const row: IterationRow = {
      id,
      runId: loop.runId,
      taskId: task.id,
      number: start.number,
      attempt: start.attempt,
      token: claim.token,
      model: start.model,
      rationale: start.rationale,
      marker: id,
      tmpDir,
      headBefore,
      startedAt: now.toISOString(),
    };
    await insertIteration(tx, row);
    await deliverMessages(tx, messages, { iterationId: id, taskId: task.id }, now);
    await countIteration(tx, loop.runId);
    const state = { ...start.state, taskId: task.id, leftover: null, leftAt: null, guard: files };
    await writeWorkspaceState(tx, state);
    await loop.memory.recordShown(tx, shownItems(row, start.prompt), now);
    const data = beginningOf(loop, start);
    await record(tx, { type: "iteration.started", runId: loop.runId, data }, now);
    return { ...row, task, claim, agent: start.agent, state };
  });
}

function beginningOf(
  loop: Loop,
  { task, agent, number, attempt, model, rationale, prompt, overridden }: IterationStart,
): JsonObject {
  return {
    iteration: number,
    taskId: task.id,
    title: task.title,
    attempt,
    maxAttempts: lastAttemptOf(task, loop.options.maxAttempts),
    agent: agent.name,
    model,
    rationale,
    promptChars: prompt.prompt.length,
    memory: Object.fromEntries(prompt.sections.map(({ name, items }) => [name, items.length] as const)),
    dropped: prompt.dropped.map(({ section, id, reason }) => `${section} ${id}: ${reason}`),
    overridden,
  };
}

/** Attempts are counted on over a reset, those that may be made begin afresh; 0: no limit. */
function lastAttemptOf({ attemptsBefore }: Task, maxAttempts: number): number {
  return maxAttempts > 0 ? attemptsBefore + maxAttempts : 0;
}

/** The ids of the messages that the prompt carries. */
function deliveredMessages({ sections }: Prompt): readonly string[] {
  return sections.find(({ name }) => name === "messages")?.items.map(({ id }) => id) ?? [];
}

/** What of memory the prompt shows, and what a hold-out kept back. */
function shownItems({ id, runId, taskId, attempt, model }: IterationRow, prompt: Prompt): ShownMemory {
  const items = prompt.sections.flatMap(({ name, items: shown }) =>
    shown.map((item) => ({ section: name, id: item.id, score: item.score })),
  );
  const withheld = prompt.dropped.filter((dropped) => dropped.withheld === true);
  return { iterationId: id, runId, taskId, attempt, model, prompt: prompt.prompt, items, withheld };
}
