import { RalphError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type RedactedText, redacted } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import type { EventType } from "../../events/event.ts";
import { record } from "../../events/event-store.ts";
import type { Reader, SqlParam, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";

/**
 * The state of a message for the agent that works now: `asked` (the run has not answered), `passing` (given to the agent,
 * which has not read it), `passed` (the agent has it), `waits` (for the next iteration).
 */
type NowState = "asked" | "passing" | "passed" | "waits";

/** A user's message to the agent. Times are ISO 8601. */
export interface Message {
  readonly id: string;
  /** Null: for the next task, whichever it is. */
  readonly taskId: string | null;
  readonly text: RedactedText;
  readonly createdAt: string;
  /** The iteration whose prompt contains it, or whose agent was given it; null: not delivered. */
  readonly iterationId: string | null;
  readonly deliveredTaskId: string | null;
  readonly deliveredAt: string | null;
  /** Null: meant for the next iteration from the start. */
  readonly now: NowState | null;
  /** The working agent that was given it; null: none. */
  readonly agent: string | null;
  /** Why it waits although it was meant for the working agent; null: it does not. */
  readonly reason: RedactedText | null;
}

/** The maximum length of one message. */
const maxChars = 10_000;
/** The maximum length of all messages in one prompt; the others wait for the next. */
const maxWaiting = 20_000;

const columns = `id, task_id AS "taskId", text, created_at AS "createdAt", iteration_id AS "iterationId",
  delivered_task_id AS "deliveredTaskId", delivered_at AS "deliveredAt", now_state AS now, now_agent AS agent, now_reason AS reason`;

/**
 * Stores a message for the next iteration; `now`: for the working agent, if the active run can pass it on.
 *
 * @throws RalphError `RALPH_MESSAGE_TEXT` when it is empty or too long.
 */
export async function addMessage(
  tx: Tx,
  message: { readonly text: RedactedText; readonly taskId: string | null; readonly now: boolean },
  now: Date,
): Promise<Message> {
  const text = message.text.trim();
  if (text === "") {
    throw new RalphError("RALPH_MESSAGE_TEXT", "the message is empty", {
      hint: 'run: ralph message "use the existing parser"; with - the text is read from standard input',
    });
  }
  if (text.length > maxChars) {
    throw new RalphError(
      "RALPH_MESSAGE_TEXT",
      `the message is too long: ${text.length} characters, the maximum is ${maxChars}`,
      {
        hint: "write the rest to a file in the project and name the file in the message",
      },
    );
  }
  const id = newId("m", 6);
  const created = { created_at: now.toISOString(), now_state: message.now ? "asked" : null };
  await insertRow(tx, "messages", { id, task_id: message.taskId, text, ...created });
  return recordMessageEvent(tx, id, "message.added", now);
}

async function select(
  q: Reader,
  where: string,
  values: readonly SqlParam[] = [],
): Promise<readonly Message[]> {
  return q.all<Message>(`SELECT ${columns} FROM messages WHERE ${where}`, values);
}

/** Returns the messages that the next prompt of `taskId` shows, oldest first, up to the maximum length. */
export async function undeliveredMessages(q: Reader, taskId: string): Promise<readonly Message[]> {
  const isFor = "iteration_id IS NULL AND (task_id IS NULL OR task_id = ?)";
  const waiting = await select(q, `${isFor} ORDER BY created_at, id`, [taskId]);
  let chars = 0;
  return waiting.filter(({ text }) => {
    chars += text.length;
    return chars <= maxWaiting;
  });
}

/** Returns all undelivered messages and the last `delivered` delivered ones, oldest first. */
export async function listMessages(q: Reader, maxDelivered: number): Promise<readonly Message[]> {
  const latest = "iteration_id IS NOT NULL ORDER BY delivered_at DESC, id LIMIT ?";
  const delivered = await select(q, latest, [maxDelivered]);
  return [...delivered.toReversed(), ...(await select(q, "iteration_id IS NULL ORDER BY created_at, id"))];
}

/** Returns false when one of these was withdrawn, or delivered to another iteration. */
export async function areUndelivered(q: Reader, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) {
    if (!(await q.get("SELECT 1 FROM messages WHERE id = ? AND iteration_id IS NULL", [id]))) return false;
  }
  return true;
}

/** Records that an iteration's prompt contains these messages. */
export async function deliverMessages(
  tx: Tx,
  ids: readonly string[],
  to: { readonly iterationId: string; readonly taskId: string },
  now: Date,
): Promise<void> {
  for (const id of ids) {
    await tx.run(
      `UPDATE messages SET iteration_id = ?, delivered_task_id = ?, delivered_at = ?,
       now_state = CASE now_state WHEN 'asked' THEN 'waits' ELSE now_state END WHERE id = ?`,
      [to.iterationId, to.taskId, now.toISOString(), id],
    );
    await recordMessageEvent(tx, id, "message.delivered", now);
  }
}

/** Makes the messages of an iteration without a verdict undelivered again, also those that its agent was given. */
export async function returnMessages(tx: Tx, iterationId: string, now: Date): Promise<void> {
  const rows = await tx.all<{ id: string }>("SELECT id FROM messages WHERE iteration_id = ?", [iterationId]);
  for (const { id } of rows) await returnMessage(tx, id, redacted`its iteration was interrupted`, now);
}

/** Makes a delivered message undelivered again; `reason` is stored if it was meant for the working agent. */
export async function returnMessage(tx: Tx, id: string, reason: RedactedText, now: Date): Promise<void> {
  await tx.run(
    `UPDATE messages SET iteration_id = NULL, delivered_task_id = NULL, delivered_at = NULL, now_agent = NULL,
     now_reason = CASE WHEN now_state IS NULL THEN NULL ELSE ? END,
     now_state = CASE WHEN now_state IS NULL THEN NULL ELSE 'waits' END WHERE id = ?`,
    [reason, id],
  );
  await recordMessageEvent(tx, id, "message.returned", now);
}

/** Returns the messages for the working agent that no run has answered, oldest first. */
export async function askedMessages(q: Reader): Promise<readonly Message[]> {
  return select(q, "iteration_id IS NULL AND now_state = 'asked' ORDER BY created_at, id");
}

/** Returns the messages that an iteration on the task got, oldest first. */
export async function messagesTo(q: Reader, taskId: string): Promise<readonly Message[]> {
  return select(q, "delivered_task_id = ? ORDER BY delivered_at, id", [taskId]);
}

export async function messageById(q: Reader, id: string): Promise<Message | undefined> {
  return (await select(q, "id = ?", [id]))[0];
}

/**
 * Records that a message is being given to the iteration's agent, so that no prompt contains it. Returns false when it was
 * answered, delivered or removed meanwhile.
 */
export async function beginPassing(
  tx: Tx,
  id: string,
  to: {
    readonly runId: string;
    readonly iterationId: string;
    readonly taskId: string;
    readonly agent: string;
  },
  now: Date,
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE messages SET iteration_id = ?, delivered_task_id = ?, delivered_at = ?, now_state = 'passing', now_agent = ?
     WHERE id = ? AND iteration_id IS NULL AND now_state = 'asked'`,
    [to.iterationId, to.taskId, now.toISOString(), to.agent, id],
  );
  if (changed > 0) await recordMessageEvent(tx, id, "message.passing", now, to.runId);
  return changed > 0;
}

/** Records that the agent has the message. */
export async function endPassing(tx: Tx, id: string, runId: string, now: Date): Promise<Message> {
  await tx.run("UPDATE messages SET now_state = 'passed', delivered_at = ? WHERE id = ?", [
    now.toISOString(),
    id,
  ]);
  return recordMessageEvent(tx, id, "message.passed", now, runId);
}

/** Records why a message waits for the next iteration. Does nothing when it was answered meanwhile. */
export async function letWait(tx: Tx, id: string, reason: RedactedText, now: Date): Promise<void> {
  const changed = await tx.run(
    "UPDATE messages SET now_state = 'waits', now_reason = ? WHERE id = ? AND now_state = 'asked'",
    [reason, id],
  );
  if (changed > 0) await recordMessageEvent(tx, id, "message.waits", now);
}

/**
 * Removes an undelivered message.
 *
 * @throws RalphError `RALPH_MESSAGE_UNKNOWN` or `RALPH_MESSAGE_DELIVERED`.
 */
export async function removeMessage(tx: Tx, id: string, now: Date): Promise<Message> {
  const message = await messageById(tx, id);
  if (!message) {
    throw new RalphError("RALPH_MESSAGE_UNKNOWN", `unknown message: ${clip(id, 120)}`, {
      hint: "run: ralph message --list",
    });
  }
  if (message.iterationId !== null) {
    throw new RalphError("RALPH_MESSAGE_DELIVERED", `message ${id} was delivered at ${message.deliveredAt}`, {
      hint: "send another message that corrects it",
    });
  }
  await tx.run("DELETE FROM messages WHERE id = ?", [id]);
  await record(tx, { type: "message.removed", data: { messageId: id } }, now);
  return message;
}

async function recordMessageEvent(
  tx: Tx,
  id: string,
  type: EventType,
  now: Date,
  runId: string | null = null,
): Promise<Message> {
  const message = await messageById(tx, id);
  if (!message) throw new Error(`message ${id} is gone`);
  const { agent, reason } = message;
  const data = { messageId: id, taskId: message.deliveredTaskId ?? message.taskId, agent, reason };
  await record(tx, { type, runId, data }, now);
  return message;
}
