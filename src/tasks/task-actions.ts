import { RalphError } from "../base/errors.ts";
import type { Db, Reader } from "../store/port/db.ts";
import { type Actor, recordClaim } from "./claim-outcome.ts";
import type { Task } from "./graph/task.ts";
import { type AddedTask, addTask } from "./graph/task-graph.ts";
import { countAddedTasks, requireTask, type TaskFilter } from "./graph/task-store.ts";
import { type Completion, failTask, markDone } from "./graph/task-transitions.ts";
import { type AttemptCounts, type ListedTask, listedTasks } from "./listed-tasks.ts";
import { type TickResult, tickSources } from "./tick-sources.ts";

/** Limits of new tasks: each costs at least one paid session, whose agent could add more. */
const perIteration = 50;
const perRun = 200;

/** The result of a report on a task: `noted` if only its claim was recorded because a run works on the task. */
type WithClaim<T> = { readonly noted: true } | ({ readonly noted: false } & T);

/**
 * The task operations that agents may use by MCP; `ralph task done` and `ralph task fail` are the same. Each change is one
 * transaction, with its event.
 */
export interface TaskActions {
  /** Throws RALPH_TASK_FLOOD beyond 50 tasks in one iteration, and 200 in one run. */
  add(added: AddedTask): Promise<Task>;
  list(filter: TaskFilter): Promise<readonly ListedTask[]>;
  done(id: string): Promise<WithClaim<{ readonly end: Completion; readonly ticked: TickResult }>>;
  fail(
    id: string,
    reason: string,
  ): Promise<WithClaim<{ readonly task: Task; readonly blocked: readonly Task[] }>>;
}

/** When the agent's iteration and its run began, ISO 8601. */
export interface Began {
  readonly iteration: string;
  readonly run: string;
}

/** Returns the task operations of a project for one actor. */
export function openTaskActions({
  db,
  root,
  now,
  actor,
  attemptCounts,
  began,
}: {
  readonly db: Db;
  readonly root: string;
  readonly now: () => Date;
  readonly actor: Actor;
  readonly attemptCounts: (q: Reader) => Promise<AttemptCounts>;
  /** Absent outside an iteration, where no limit applies. */
  readonly began?: Began | undefined;
}): TaskActions {
  return {
    add: (added) =>
      db.transaction(async (tx) => {
        if (began) await refuseFlood(tx, began);
        return addTask(tx, added, now());
      }),
    list: async (filter) => listedTasks(db, filter, await attemptCounts(db)),
    done: async (id) => {
      const end = await db.transaction(async (tx) => {
        await requireTask(tx, id);
        if (await recordClaim(tx, { id, verdict: "done" }, actor)) return undefined;
        return markDone(tx, id, now());
      });
      return end ? { noted: false, end, ticked: await tickSources(root, end) } : { noted: true };
    },
    fail: async (id, reason) =>
      db.transaction(async (tx) => {
        await requireTask(tx, id);
        if (await recordClaim(tx, { id, verdict: "failed" }, actor)) return { noted: true };
        return { noted: false, ...(await failTask(tx, id, reason, now())) };
      }),
  };
}

async function refuseFlood(q: Reader, { iteration, run }: Began): Promise<void> {
  if ((await countAddedTasks(q, iteration)) >= perIteration) {
    throw new RalphError("RALPH_TASK_FLOOD", `limit reached: ${perIteration} tasks per iteration`, {
      hint: "put the rest into the description of one of them",
    });
  }
  if ((await countAddedTasks(q, run)) < perRun) return;
  throw new RalphError("RALPH_TASK_FLOOD", `limit reached: ${perRun} new tasks per run`, {
    hint: "state what is left in your final message: a person can add it",
  });
}
