import { oneLine } from "../../base/text.ts";
import type { EventType } from "../../events/event.ts";
import type { Tx } from "../../store/db.ts";
import type { BlockCause, Task, TaskStatus } from "../task.ts";
import type { TaskChanges } from "../task-fields.ts";
import { insertTaskLog } from "../task-log-store.ts";
import { writeTask } from "../task-store.ts";

interface StatusChange {
  readonly id: string;
  readonly status: TaskStatus;
  readonly reason?: string | null;
  readonly cause?: BlockCause | null;
  readonly type: EventType;
  readonly runId?: string | null;
  /** For the log, in place of the event's own verb. */
  readonly verb?: string;
  /** What changes along with the status. */
  readonly also?: TaskChanges;
}

/** Writes a task's status, with a line in its log and its event. It pulls no other task along. */
export async function changeStatus(tx: Tx, change: StatusChange, now: Date): Promise<Task> {
  const { id, status, type, reason = null, cause = null, runId = null } = change;
  const verb = change.verb ?? type.slice(type.indexOf(".") + 1);
  const words = [verb, cause && `(${cause})`, runId && `by run ${runId}`].filter((word) => word).join(" ");
  const log = await insertTaskLog(tx, id, reason === null ? words : `${words}: ${oneLine(reason)}`, now);
  const changes = { ...change.also, status, statusReason: reason, blockCause: cause };
  return writeTask(tx, { id, changes, type, runId, data: { reason, cause }, rows: [log] }, now);
}
