import { text as readAll } from "node:stream/consumers";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { sensitiveValues } from "../../../config/environment.ts";
import { commit } from "../../../loop/loop.ts";
import { addMessage, listMessages, type Message, removeMessage } from "../../../loop/message-store.ts";
import { requireTask } from "../../../tasks/task-store.ts";
import { registerSecrets } from "../../../trust/redact.ts";
import { columnText } from "../../../trust/safe-text.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { refuseInsideRun } from "../../project/refuse-inside-run.ts";
import type { CommandSpec, Invocation, Project, Session } from "../../shell/command.ts";

const shownDelivered = 20;

/** `ralph message`: a person's message to the next iteration (LOOP-13). */
export const message: CommandSpec = {
  name: "message",
  summary: "send a message to the next iteration",
  description:
    "Added to the prompt of the next iteration, of the active run or of a later one. If that iteration is interrupted, the message is delivered again.",
  examples: [
    'ralph message "use the parser in src/date.ts, do not write another"',
    'ralph message --task t-3fa9c1 "the API moved to /v2"',
    "ralph message - < notes.txt",
    "ralph message --list",
  ],
  arguments: [{ name: "[text...]", description: "the message; - reads standard input" }],
  options: [
    { flags: "--task <id>", description: "deliver to the next iteration on this task" },
    { flags: "--list", description: "list waiting and recently delivered messages" },
    { flags: "--remove <id>", description: "cancel an undelivered message" },
  ],
  run: async (session, invocation) => {
    const project = await session.openProject();
    try {
      if (invocation.options["list"] === true) await list(session, project);
      else if (typeof invocation.options["remove"] === "string")
        await remove(session, project, invocation.options["remove"]);
      else await add(session, project, invocation);
    } finally {
      await project.close();
    }
    return 0;
  },
};

async function add(session: Session, project: Project, { args, options }: Invocation): Promise<void> {
  refuseInsideRun("message");
  registerSecrets(sensitiveValues());
  const words = [args["text"] ?? []].flat();
  const isFromStdin = words.length === 1 && words[0] === "-";
  const text = columnText(isFromStdin ? await readAll(process.stdin) : words.join(" "));
  const taskId = typeof options["task"] === "string" ? options["task"] : null;
  const task = taskId === null ? undefined : await requireTask(project.db, taskId);
  const added = await commit(project, (tx) => addMessage(tx, { text, taskId }, session.clock.now()));
  if (session.json) return session.out(storedJson(added));
  session.out(
    safe`${storedText(added.id)} waits for the next iteration${taskId === null ? "" : safe` on ${storedText(taskId)}`}`,
  );
  if (task && task.status !== "pending" && task.status !== "in_progress")
    session.note(
      safe`${storedText(task.id)} is ${task.status}; the message will be delivered if the task is reopened`,
    );
  session.note(safe`hint: run \`ralph message --remove ${storedText(added.id)}\` to cancel it`);
}

async function list(session: Session, { db }: Project): Promise<void> {
  const messages = await listMessages(db, shownDelivered);
  if (session.json) return session.out(storedJson(messages));
  if (messages.length === 0) session.note('no messages yet; hint: run `ralph message "text"`');
  for (const one of messages)
    session.out(safe`${storedText(one.id)}  ${stateOf(one)}  ${storedLine(one.text, 100)}`);
}

function stateOf({ taskId, toldAt, toldTaskId }: Message): SafeText {
  if (toldAt !== null) return storedText(`delivered ${toldAt} on ${toldTaskId}`);
  return taskId === null ? safe`waits` : safe`waits for ${storedText(taskId)}`;
}

async function remove(session: Session, project: Project, id: string): Promise<void> {
  refuseInsideRun("message --remove");
  const removed = await commit(project, (tx) => removeMessage(tx, id, session.clock.now()));
  if (session.json) session.out(storedJson(removed));
  else session.out(safe`removed ${storedText(removed.id)}`);
}
