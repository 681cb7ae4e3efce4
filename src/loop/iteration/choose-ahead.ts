import { join } from "node:path";
import type { AgentResult } from "../../agents/port/agent.ts";
import { makeFolders } from "../../base/careful-files.ts";
import { messageOf } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { record } from "../../events/event-store.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import type { Iteration } from "../rows/iteration.ts";
import { type Choosing, commit, type Loop } from "../rows/loop.ts";
import { agentRequest } from "./agent-request.ts";

/** The maximum number of questions per run that report no cost, and of those that fail. */
const maxOf = { unpriced: 50, failures: 3 };

/** Opens what a run keeps of its questions which memory a task needs. */
export function openChoosing(): Choosing {
  const stop = new AbortController();
  const spent = { usd: 0, priced: false, unpriced: 0, failures: 0 };
  let last: Promise<void> | null = null;
  return {
    spent,
    signal: stop.signal,
    begin: (work) => {
      if (last !== null || stop.signal.aborted) return;
      last = work()
        .catch(() => undefined)
        .finally(() => {
          last = null;
        });
    },
    end: async () => {
      stop.abort();
      await last;
    },
  };
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
  if (loop.chooser === null) return;
  loop.choosing.begin(async () => {
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
  });
}

function mayAsk({ chooser, choosing: { spent, signal }, stop }: Loop): boolean {
  if (chooser === null || signal.aborted || stop.aborted) return false;
  return spent.usd < chooser.budgetUsd && spent.unpriced < maxOf.unpriced && spent.failures < maxOf.failures;
}

async function chooseFor(loop: Loop, iteration: Iteration, task: Task): Promise<void> {
  const { chooser, choosing, runId } = loop;
  const question = await loop.memory.askWhich(task);
  if (question === null || chooser === null) return;
  const { costUsd, error, finalMessage } = await ask(loop, { iteration, task, prompt: question.prompt });
  const choice = question.read(error ? "" : finalMessage);
  const { spent } = choosing;
  if (costUsd === null) spent.unpriced += 1;
  else Object.assign(spent, { usd: spent.usd + costUsd, priced: true });
  const model = { agent: chooser.agent.name, model: chooser.model, costUsd };
  // A question that the end of the run cut short is asked again by the next one.
  const data = { taskId: task.id, ...model, ...(choosing.signal.aborted ? { chosen: null } : choice) };
  await commit(loop, (tx) => record(tx, { type: "learning.selected", runId, data }, loop.clock.now()));
  if (choosing.signal.aborted || choice["chosen"] !== null) return;
  spent.failures += 1;
  const why = error ? messageOf(error) : "the answer is not the list that was asked for";
  const failed = { kind: "learnings", step: "select", taskId: task.id, error: safeLine(why, 500) };
  loop.log.publish({ type: "memory.failed", runId, data: failed });
}

/** Runs the question in an empty temporary folder, not in the project. */
async function ask(
  loop: Loop,
  {
    iteration,
    task,
    prompt,
  }: { readonly iteration: Iteration; readonly task: Task; readonly prompt: SafeText },
): Promise<Pick<AgentResult, "costUsd" | "error" | "finalMessage">> {
  const { chooser, choosing } = loop;
  if (chooser === null) throw new Error("nobody chooses");
  const { timeoutMs } = chooser;
  const cwd = join(loop.folder, "tmp", newId("choice", 6));
  makeFolders(cwd);
  const place = { marker: choosingMarker(loop.runId), tmpDir: cwd, logFile: join(cwd, "session.log") };
  try {
    return await chooser.agent.run({
      ...agentRequest(loop, { ...iteration, taskId: task.id, journal: null }, place),
      ...{ cwd, model: chooser.model, prompt, allowedCommands: [], timeoutMs, idleTimeoutMs: timeoutMs },
      ...{ signal: AbortSignal.any([choosing.signal, loop.stop]), forceSignal: choosing.signal },
    });
  } catch (error) {
    return {
      ...{ costUsd: null, finalMessage: "" },
      error: { kind: "crash", message: messageOf(error), resetAt: null, hint: null },
    };
  } finally {
    await removeFolder(loop.workspace, cwd).catch(() => undefined);
  }
}
