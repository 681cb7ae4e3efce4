import { RalphError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { RedactedText } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import type { EventType } from "../events/event.ts";
import { record } from "../events/outbox-store.ts";
import type { Reader, Row, Tx } from "../store/db.ts";

/** A user's message to the next iteration. Times are ISO 8601. */
export interface Message {
  readonly id: string;
  /** Null: for the next task, whichever it is. */
  readonly taskId: string | null;
  readonly text: RedactedText;
  readonly createdAt: string;
  /** The iteration whose prompt contains it; null: not delivered. */
  readonly iterationId: string | null;
  readonly toldTaskId: string | null;
  readonly toldAt: string | null;
}

/** The maximum length of one message. */
const maxChars = 10_000;
/** The maximum length of all messages in one prompt; the others wait for the next. */
const maxWaiting = 20_000;

const columns = `id, task_id AS "taskId", text, created_at AS "createdAt", iteration_id AS "iterationId",
  told_task_id AS "toldTaskId", told_at AS "toldAt"`;

/**
 * Stores a message for the next iteration.
 *
 * @throws RalphError `RALPH_MESSAGE_TEXT` when it is empty or too long.
 */
export async function addMessage(
  tx: Tx,
  message: { readonly text: RedactedText; readonly taskId: string | null },
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
  await tx.run("INSERT INTO messages (id, task_id, text, created_at) VALUES (?, ?, ?, ?)", [
    id,
    message.taskId,
    text,
    now.toISOString(),
  ]);
  return recordMessageEvent(tx, id, "message.added", now);
}

/** Returns the messages that the next prompt of `taskId` shows, oldest first, up to the maximum length. */
export async function undeliveredMessages(q: Reader, taskId: string): Promise<readonly Message[]> {
  const waiting = await q.all<Message>(
    `SELECT ${columns} FROM messages WHERE iteration_id IS NULL AND (task_id IS NULL OR task_id = ?)
     ORDER BY created_at, id`,
    [taskId],
  );
  let chars = 0;
  return waiting.filter(({ text }) => {
    chars += text.length;
    return chars <= maxWaiting;
  });
}

/** Returns all undelivered messages and the last `delivered` delivered ones, oldest first. */
export async function listMessages(q: Reader, maxDelivered: number): Promise<readonly Message[]> {
  const delivered = await q.all<Message>(
    `SELECT ${columns} FROM messages WHERE iteration_id IS NOT NULL ORDER BY told_at DESC, id LIMIT ?`,
    [maxDelivered],
  );
  const waiting = await q.all<Message>(
    `SELECT ${columns} FROM messages WHERE iteration_id IS NULL ORDER BY created_at, id`,
  );
  return [...delivered.toReversed(), ...waiting];
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
    await tx.run("UPDATE messages SET iteration_id = ?, told_task_id = ?, told_at = ? WHERE id = ?", [
      to.iterationId,
      to.taskId,
      now.toISOString(),
      id,
    ]);
    await recordMessageEvent(tx, id, "message.delivered", now);
  }
}

/** Makes the messages of an iteration without a verdict undelivered again. */
export async function returnMessages(tx: Tx, iterationId: string, now: Date): Promise<void> {
  const rows = await tx.all<{ id: string }>("SELECT id FROM messages WHERE iteration_id = ?", [iterationId]);
  for (const { id } of rows) {
    await tx.run(
      "UPDATE messages SET iteration_id = NULL, told_task_id = NULL, told_at = NULL WHERE id = ?",
      [id],
    );
    await recordMessageEvent(tx, id, "message.returned", now);
  }
}

/**
 * Removes an undelivered message.
 *
 * @throws RalphError `RALPH_MESSAGE_UNKNOWN` or `RALPH_MESSAGE_DELIVERED`.
 */
export async function removeMessage(tx: Tx, id: string, now: Date): Promise<Message> {
  const message = await tx.get<Message>(`SELECT ${columns} FROM messages WHERE id = ?`, [id]);
  if (!message) {
    throw new RalphError("RALPH_MESSAGE_UNKNOWN", `unknown message: ${clip(id, 120)}`, {
      hint: "run: ralph message --list",
    });
  }
  if (message.iterationId !== null) {
    throw new RalphError("RALPH_MESSAGE_DELIVERED", `message ${id} was delivered at ${message.toldAt}`, {
      hint: "send another message that corrects it",
    });
  }
  await tx.run("DELETE FROM messages WHERE id = ?", [id]);
  const rows = [{ table: "messages", op: "delete", row: { id } }] as const;
  await record(tx, { type: "message.removed", data: { messageId: id }, rows }, now);
  return message;
}

async function recordMessageEvent(tx: Tx, id: string, type: EventType, now: Date): Promise<Message> {
  const row = await tx.get<Row>("SELECT * FROM messages WHERE id = ?", [id]);
  const message = await tx.get<Message>(`SELECT ${columns} FROM messages WHERE id = ?`, [id]);
  if (!row || !message) throw new Error(`message ${id} is gone`);
  const data = { messageId: id, taskId: message.toldTaskId ?? message.taskId };
  await record(tx, { type, data, rows: [{ table: "messages", op: "put", row }] }, now);
  return message;
}
