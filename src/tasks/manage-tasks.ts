import { RalphError } from "../base/errors.ts";
import type { Db, Reader } from "../store/db.ts";
import { type AddedTask, addTask } from "./add-task.ts";
import { type Completion, failTask, markDone } from "./finish-task.ts";
import { type ListedTask, listedTasks } from "./listed-tasks.ts";
import { noteWord, type Speaker } from "./note-word.ts";
import type { Task } from "./task.ts";
import { countTasksSince, requireTask, type TaskFilter } from "./task-store.ts";
import { type Ticked, tickSources } from "./tick-sources.ts";

/** More new tasks than these are no plan: each of them is a session that somebody pays for. */
const mostAdded = 50;

/** What came of a word on a task: only noted, as a run works on it and decides; else done. */
type Said<T> = { readonly noted: true } | ({ readonly noted: false } & T);

/** What a person or an agent does with tasks. Each change is one transaction, with its event. */
export interface TaskDesk {
  /** RALPH_TASK_FLOOD above fifty in one iteration. */
  add(added: AddedTask): Promise<Task>;
  list(filter: TaskFilter): Promise<readonly ListedTask[]>;
  done(id: string): Promise<Said<{ readonly end: Completion; readonly ticked: Ticked }>>;
  fail(id: string, reason: string): Promise<Said<{ readonly task: Task; readonly blocked: readonly Task[] }>>;
}

/** Opens the tasks of a project for the words of one speaker. */
export function openTaskDesk({
  db,
  root,
  now,
  speaker,
  since,
}: {
  readonly db: Db;
  readonly root: string;
  readonly now: () => Date;
  readonly speaker: Speaker;
  /** When the iteration began whose agent speaks; absent: no iteration, so no limit of one. */
  readonly since?: string | undefined;
}): TaskDesk {
  return {
    add: (added) =>
      db.transaction(async (tx) => {
        if (since !== undefined) await refuseFlood(tx, since);
        return addTask(tx, added, now());
      }),
    list: (filter) => listedTasks(db, filter),
    done: async (id) => {
      const end = await db.transaction(async (tx) => {
        await requireTask(tx, id);
        if (await noteWord(tx, { id, verdict: "done" }, speaker)) return undefined;
        return markDone(tx, id, now());
      });
      return end ? { noted: false, end, ticked: await tickSources(root, end) } : { noted: true };
    },
    fail: async (id, reason) =>
      db.transaction(async (tx) => {
        await requireTask(tx, id);
        if (await noteWord(tx, { id, verdict: "failed" }, speaker)) return { noted: true };
        return { noted: false, ...(await failTask(tx, id, reason, now())) };
      }),
  };
}

async function refuseFlood(q: Reader, since: string): Promise<void> {
  if ((await countTasksSince(q, since)) < mostAdded) return;
  throw new RalphError(
    "RALPH_TASK_FLOOD",
    `${mostAdded} tasks were added since this iteration began: no more fit`,
    {
      hint: "put what is left into the description of one of them",
    },
  );
}
