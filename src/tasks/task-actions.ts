import { RalphError } from "../base/errors.ts";
import type { Db, Reader } from "../store/db.ts";
import { type Actor, recordClaim } from "./claim-outcome.ts";
import { type Completion, failTask, markDone } from "./finish-task.ts";
import { type AddedTask, addTask } from "./graph.ts";
import { type AttemptCounts, type ListedTask, listedTasks } from "./listed-tasks.ts";
import type { Task } from "./task.ts";
import { countTasksSince, requireTask, type TaskFilter } from "./task-store.ts";
import { type TickResult, tickSources } from "./tick-sources.ts";

/** More new tasks than these are no plan: each of them is a session that somebody pays for. */
const maxAdded = 50;

/** What came of a word on a task: only noted, as a run works on it and decides; else done. */
type WithClaim<T> = { readonly noted: true } | ({ readonly noted: false } & T);

/** What a person or an agent does with tasks. Each change is one transaction, with its event. */
export interface TaskActions {
  /** RALPH_TASK_FLOOD above fifty in one iteration. */
  add(added: AddedTask): Promise<Task>;
  list(filter: TaskFilter): Promise<readonly ListedTask[]>;
  done(id: string): Promise<WithClaim<{ readonly end: Completion; readonly ticked: TickResult }>>;
  fail(
    id: string,
    reason: string,
  ): Promise<WithClaim<{ readonly task: Task; readonly blocked: readonly Task[] }>>;
}

/** Opens the tasks of a project for the words of one speaker. */
export function openTaskActions({
  db,
  root,
  now,
  speaker,
  attemptCounts,
  since,
}: {
  readonly db: Db;
  readonly root: string;
  readonly now: () => Date;
  readonly speaker: Actor;
  readonly attemptCounts: (q: Reader) => Promise<AttemptCounts>;
  /** When the iteration began whose agent speaks; absent: no iteration, so no limit of one. */
  readonly since?: string | undefined;
}): TaskActions {
  return {
    add: (added) =>
      db.transaction(async (tx) => {
        if (since !== undefined) await refuseFlood(tx, since);
        return addTask(tx, added, now());
      }),
    list: async (filter) => listedTasks(db, filter, await attemptCounts(db)),
    done: async (id) => {
      const end = await db.transaction(async (tx) => {
        await requireTask(tx, id);
        if (await recordClaim(tx, { id, verdict: "done" }, speaker)) return undefined;
        return markDone(tx, id, now());
      });
      return end ? { noted: false, end, ticked: await tickSources(root, end) } : { noted: true };
    },
    fail: async (id, reason) =>
      db.transaction(async (tx) => {
        await requireTask(tx, id);
        if (await recordClaim(tx, { id, verdict: "failed" }, speaker)) return { noted: true };
        return { noted: false, ...(await failTask(tx, id, reason, now())) };
      }),
  };
}

async function refuseFlood(q: Reader, since: string): Promise<void> {
  if ((await countTasksSince(q, since)) < maxAdded) return;
  throw new RalphError(
    "RALPH_TASK_FLOOD",
    `${maxAdded} tasks were added since this iteration began: no more fit`,
    {
      hint: "put what is left into the description of one of them",
    },
  );
}
