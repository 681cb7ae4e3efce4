import type { RedactedText } from "../../base/safe-text.ts";
import { oneLine } from "../../base/text.ts";
import type { EventType } from "../../events/event.ts";
import type { Tx } from "../../store/port/db.ts";
import { columnText } from "../../trust/safe-text.ts";
import type { BlockCause, Task, TaskStatus } from "./task.ts";
import type { TaskChanges } from "./task-fields.ts";
import { insertTaskLog } from "./task-log-store.ts";
import { writeTask } from "./task-store.ts";

interface StatusChange {
  readonly id: string;
  readonly status: TaskStatus;
  readonly reason?: RedactedText | null;
  readonly cause?: BlockCause | null;
  readonly type: EventType;
  readonly runId?: string | null;
  /** The verb of the log line; default: the last part of the event type. */
  readonly verb?: string;
  /** Other fields to change together with the status. */
  readonly also?: TaskChanges;
}

/** Sets a task's status, with a log line and an event. Does not affect other tasks. */
export async function changeStatus(tx: Tx, change: StatusChange, now: Date): Promise<Task> {
  const { id, status, type, reason = null, cause = null, runId = null } = change;
  const verb = change.verb ?? type.slice(type.indexOf(".") + 1);
  const summary = [verb, cause && `(${cause})`, runId && `by run ${runId}`].filter((part) => part).join(" ");
  const line = columnText(reason === null ? summary : `${summary}: ${oneLine(reason)}`);
  await insertTaskLog(tx, id, line, now);
  const changes = { ...change.also, status, statusReason: reason, blockCause: cause };
  return writeTask(tx, { id, changes, type, runId, data: { reason, cause } }, now);
}
