import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { record } from "../../events/event-store.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import type { Iteration } from "../rows/iteration.ts";
import { type Choosing, commit, type Loop } from "../rows/loop.ts";
import { askAgent } from "./agent-request.ts";

/** The maximum number of questions per run that report no cost, and of those that fail. */
const maxOf = { unpriced: 50, failures: 3 };

/** Opens what a run keeps of its questions which memory a task needs. */
export function openChoosing(): Choosing {
  const spent = { usd: 0, priced: false, unpriced: 0, failures: 0 };
  return { spent, stop: new AbortController(), current: null };
}

/** Ends the question that is asked now. */
export async function endChoosing({ choosing }: Pick<Loop, "choosing">): Promise<void> {
  choosing.stop.abort();
  await choosing.current;
}

/** Returns the marker of the processes that answer the questions of a run. */
export function choosingMarker(runId: string): string {
  return `${runId}-choice`;
}

/**
 * Asks the cheapest model which memory the tasks that come next need (LEARN-16). Nobody waits for it: what is answered before their prompt
 * is built counts, else the task's words decide.
 */
export function chooseAhead(loop: Loop, iteration: Iteration): void {
  const { choosing } = loop;
  choosing.current ??= chooseForNext(loop, iteration)
    .catch(() => undefined)
    .finally(() => {
      choosing.current = null;
    });
}

async function chooseForNext(loop: Loop, iteration: Iteration): Promise<void> {
  const seen: string[] = [];
  while (seen.length < (loop.options.workers ?? 1) && mayAsk(loop)) {
    const task = await nextTask(loop.db, loop.options.only ?? undefined, {
      except: [...seen, ...loop.adopted.waiting],
      assumeDone: iteration.taskId,
    });
    if (!task) return;
    seen.push(task.id);
    await chooseFor(loop, iteration, task);
  }
}

function mayAsk({ chooser, choosing, stop }: Loop): boolean {
  const { spent } = choosing;
  if (chooser === null || choosing.stop.signal.aborted || stop.aborted) return false;
  return spent.usd < chooser.budgetUsd && spent.unpriced < maxOf.unpriced && spent.failures < maxOf.failures;
}

async function chooseFor(loop: Loop, iteration: Iteration, task: Task): Promise<void> {
  const { chooser, choosing, runId } = loop;
  const question = await loop.memory.askWhich(task);
  if (question === null || chooser === null) return;
  const { agent, model, timeoutMs } = chooser;
  const cwd = join(loop.folder, "tmp", newId("choice", 6));
  const asked = { agent, model, timeoutMs, cwd, prompt: question.prompt, stop: choosing.stop.signal };
  const { costUsd, error, finalMessage } = await askAgent(
    loop,
    { ...iteration, taskId: task.id },
    { ...asked, marker: choosingMarker(runId) },
  )
    .catch((thrown: unknown) => ({ costUsd: null, finalMessage: "", error: { message: messageOf(thrown) } }))
    .finally(() => removeFolder(loop.workspace, cwd).catch(() => undefined));
  const choice = question.read(error ? "" : finalMessage);
  const { spent } = choosing;
  if (costUsd === null) spent.unpriced += 1;
  else Object.assign(spent, { usd: spent.usd + costUsd, priced: true });
  // A question that the end of the run cut short is asked again by the next one.
  const chosen = choosing.stop.signal.aborted ? { chosen: null } : choice;
  const data = { taskId: task.id, agent: agent.name, model, costUsd, ...chosen };
  await commit(loop, (tx) => record(tx, { type: "learning.selected", runId, data }, loop.clock.now()));
  if (choosing.stop.signal.aborted || choice["chosen"] !== null) return;
  spent.failures += 1;
  const why = error ? error.message : "the answer is not the list that was asked for";
  const failed = { kind: "learnings", step: "select", taskId: task.id, error: safeLine(why, 500) };
  loop.log.publish({ type: "memory.failed", runId, data: failed });
}
