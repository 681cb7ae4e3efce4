import { attemptRef } from "../../base/attempt-ref.ts";
import { newId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Prompt } from "../../context/prompt.ts";
import { record } from "../../events/event-store.ts";
import type { ShownMemory } from "../../memory/port/memory-kind.ts";
import { claimTask } from "../../tasks/graph/claim-store.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { head } from "../../workspace/git/status.ts";
import type { AttemptPrompt, Iteration, Plan, Turn } from "../rows/iteration.ts";
import { type IterationRow, insertIteration } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { areUndelivered, deliverMessages } from "../rows/message-store.ts";
import { countIteration } from "../rows/run-store.ts";
import type { TaskTree } from "../rows/slot.ts";
import { begin } from "../rows/workspace-state.ts";
import { writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { createTempFolder, tempFolder } from "../tree/temp-folder.ts";

interface Beginning extends Turn {
  readonly task: Task;
  readonly plan: Plan;
  readonly prompt: AttemptPrompt;
  /** As the task found it. */
  readonly tree: TaskTree;
}

/**
 * Claims the task and records the iteration in one transaction, before any process starts: a later kill leaves a row
 * that the next start finds. Returns undefined when another process claimed the task first, or withdrew a message
 * that the prompt contains.
 */
export async function beginIteration(
  loop: Loop,
  beginning: Beginning,
): Promise<Omit<Iteration, "leaseLost"> | undefined> {
  const { task, plan, tree, ...turn } = beginning;
  const { agent, model, rationale } = plan;
  const { attempt, number, prompt, seed, journal } = beginning.prompt;
  const { runId, owner } = loop;
  const iterationId = newId("i", 6);
  const tmpDir = tempFolder(loop);
  createTempFolder(tmpDir);
  const state = begin(tree.state);
  const headBefore = (await head(loop.workspace)) ?? "";
  const messages = messageIds(prompt);
  return commit(loop, async (tx) => {
    const now = loop.clock.now();
    if (!(await areUndelivered(tx, messages))) return undefined;
    const claim = await claimTask(tx, { taskId: task.id, owner, runId }, now);
    if (!claim) return undefined;
    const row: IterationRow = {
      ...{ iterationId, runId, taskId: task.id, attempt, number, model, rationale, tmpDir, headBefore },
      token: claim.token,
      marker: iterationId,
      startedAt: now.toISOString(),
      promptSeed: seed,
    };
    // Together they are one round trip to a server.
    await Promise.all([
      insertIteration(tx, row),
      countIteration(tx, runId),
      writeWorkspaceState(tx, loop.workspace, state),
    ]);
    await deliverMessages(tx, messages, row, now);
    await loop.memory.recordShown(tx, shownMemory(row, prompt), now);
    await record(tx, { type: "iteration.started", runId, data: startedEvent(loop, beginning) }, now);
    const begun = { ...turn, ...row, task, claim, agent, prompt, journal, state };
    return { ...begun, changesBefore: tree.changes, startedMs: loop.clock.monotonic() };
  });
}

/** Returns the ids of the messages in the prompt. */
function messageIds({ sections }: Prompt): readonly string[] {
  return sections.find(({ name }) => name === "messages")?.items.map(({ id }) => id) ?? [];
}

function startedEvent(
  { options }: Pick<Loop, "options">,
  { task, plan, prompt: { attempt, number, prompt } }: Beginning,
): JsonObject {
  const { agent, model, rationale, overridden, offers } = plan;
  return {
    iteration: number,
    taskId: task.id,
    title: task.title,
    attempt,
    maxAttempts: lastAttemptOf(task, options.limits.maxAttempts),
    agent: agent.name,
    model,
    rationale,
    promptChars: prompt.prompt.length,
    memory: Object.fromEntries(prompt.sections.map(({ name, items }) => [name, items.length] as const)),
    // Without the memory's own words, which a purge has to reach.
    dropped: prompt.dropped.map(({ section, id, reason }) => `${section} ${id}: ${reason.split(": ", 1)[0]}`),
    overridden,
    offers: offers.map((offer) => ({ ...offer })),
  };
}

/** Returns the number of the last attempt that is allowed: a reset grants new attempts and numbers them on. 0: no limit. */
function lastAttemptOf({ attemptsBefore }: Task, maxAttempts: number): number {
  return maxAttempts > 0 ? attemptsBefore + maxAttempts : 0;
}

/** Returns the memory items that the prompt shows, and those that a hold-out withheld. */
function shownMemory(row: IterationRow, prompt: Prompt): ShownMemory {
  const items = prompt.sections.flatMap(({ name, items: shown }) =>
    shown.map((item) => ({ section: name, id: item.id, score: item.score })),
  );
  const withheld = prompt.dropped.filter((dropped) => dropped.withheld === true);
  return { ...attemptRef(row), model: row.model, prompt: prompt.prompt, items, withheld };
}
