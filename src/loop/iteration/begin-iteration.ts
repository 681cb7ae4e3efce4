import { newId } from "../../base/ids.ts";
import type { Prompt } from "../../context/prompt.ts";
import { record } from "../../events/event-store.ts";
import { claimTask } from "../../tasks/graph/claim-store.ts";
import { head } from "../../workspace/git/status.ts";
import type { Iteration } from "../rows/iteration.ts";
import { type IterationRow, insertIteration } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { areUndelivered, deliverMessages } from "../rows/message-store.ts";
import { countIteration } from "../rows/run-store.ts";
import { begin } from "../rows/workspace-state.ts";
import { writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { createTempFolder, tempFolder } from "../tree/temp-folder.ts";
import { type Beginning, shownMemory, startedEvent } from "./started-event.ts";

/**
 * Claims the task and records the iteration in one transaction, before any process starts: a later kill leaves a row
 * that the next start finds. Returns undefined when another process claimed the task first, or withdrew a message
 * that the prompt contains.
 */
export async function beginIteration(loop: Loop, beginning: Beginning): Promise<Iteration | undefined> {
  const { task } = beginning;
  const { agent, model, rationale } = beginning.plan;
  const { attempt, number, prompt, seed, journal } = beginning.prompt;
  const { runId, owner } = loop;
  const iterationId = newId("i", 6);
  const tmpDir = tempFolder(loop);
  createTempFolder(tmpDir);
  const state = begin(beginning.state);
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
    await insertIteration(tx, row);
    await deliverMessages(tx, messages, row, now);
    await countIteration(tx, runId);
    await writeWorkspaceState(tx, loop.workspace, state);
    await loop.memory.recordShown(tx, shownMemory(row, prompt), now);
    await record(tx, { type: "iteration.started", runId, data: startedEvent(loop, beginning) }, now);
    return { ...row, task, claim, agent, prompt, journal, state, startedMs: loop.clock.monotonic() };
  });
}

/** Returns the ids of the messages in the prompt. */
function messageIds({ sections }: Prompt): readonly string[] {
  return sections.find(({ name }) => name === "messages")?.items.map(({ id }) => id) ?? [];
}
