import { RalphError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { cleanText, clip } from "../base/text.ts";
import type { EventType } from "../events/event.ts";
import { record } from "../events/outbox-store.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import { redact } from "../trust/redact.ts";

/** What a person told the next iteration. Times are ISO 8601. */
export interface Message {
  readonly id: string;
  /** Only for this task; null: for whichever is next. */
  readonly taskId: string | null;
  readonly text: string;
  readonly createdAt: string;
  /** The iteration whose prompt holds it; null: it waits. */
  readonly iterationId: string | null;
  readonly toldTaskId: string | null;
  readonly toldAt: string | null;
}

/** What one prompt can hold next to a task. */
const maxChars = 10_000;
/** Of all messages in one prompt; what is beyond waits for the next. */
const maxWaiting = 20_000;

const columns = `id, task_id AS "taskId", text, created_at AS "createdAt", iteration_id AS "iterationId",
  told_task_id AS "toldTaskId", told_at AS "toldAt"`;

/** Keeps a message for the next iteration, secrets taken out. RALPH_MESSAGE_TEXT when it is empty or too long. */
export async function addMessage(
  tx: Tx,
  message: { readonly text: string; readonly taskId: string | null },
  now: Date,
): Promise<Message> {
  const text = cleanText(redact(message.text)).trim();
  if (text === "") {
    throw new RalphError("RALPH_MESSAGE_TEXT", "there is nothing in the message", {
      hint: 'ralph message "use the existing parser"; with - the text comes from standard input',
    });
  }
  if (text.length > maxChars) {
    throw new RalphError(
      "RALPH_MESSAGE_TEXT",
      `the message has ${text.length} characters, ${maxChars} are allowed`,
      {
        hint: "put the rest into a file of the project and name it in the message",
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

/** Those that the next prompt of `taskId` shows, oldest first, as many as one prompt holds. */
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

/** All that wait and the last `told` that were delivered, oldest first. */
export async function listMessages(q: Reader, told: number): Promise<readonly Message[]> {
  const delivered = await q.all<Message>(
    `SELECT ${columns} FROM messages WHERE iteration_id IS NOT NULL ORDER BY told_at DESC, id LIMIT ?`,
    [told],
  );
  const waiting = await q.all<Message>(
    `SELECT ${columns} FROM messages WHERE iteration_id IS NULL ORDER BY created_at, id`,
  );
  return [...delivered.toReversed(), ...waiting];
}

/** False when one of these was taken back, or told to another iteration. */
export async function areUndelivered(q: Reader, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) {
    if (!(await q.get("SELECT 1 FROM messages WHERE id = ? AND iteration_id IS NULL", [id]))) return false;
  }
  return true;
}

/** Notes that an iteration's prompt holds these. */
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

/** An iteration that came to no verdict has not heard its messages: they wait again. */
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

/** Takes a message back that no prompt has held yet. RALPH_MESSAGE_UNKNOWN, RALPH_MESSAGE_DELIVERED. */
export async function removeMessage(tx: Tx, id: string, now: Date): Promise<Message> {
  const message = await tx.get<Message>(`SELECT ${columns} FROM messages WHERE id = ?`, [id]);
  if (!message) {
    throw new RalphError("RALPH_MESSAGE_UNKNOWN", `There is no message ${clip(id, 120)}.`, {
      hint: "`ralph message --list` shows them",
    });
  }
  if (message.iterationId !== null) {
    throw new RalphError("RALPH_MESSAGE_DELIVERED", `message ${id} was delivered at ${message.toldAt}`, {
      hint: "send another one that corrects it",
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
