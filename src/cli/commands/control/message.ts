import { text as readAll } from "node:stream/consumers";
import { clip, oneLine } from "../../../base/text.ts";
import { sensitiveValues } from "../../../config/environment.ts";
import { commit } from "../../../loop/loop.ts";
import { addMessage, listMessages, type Message, removeMessage } from "../../../loop/message-store.ts";
import { requireTask } from "../../../tasks/task-store.ts";
import { registerSecrets } from "../../../trust/redact.ts";
import { stripControls } from "../../../trust/terminal.ts";
import { refuseInsideRun } from "../../project/refuse-inside-run.ts";
import type { CommandSpec, Invocation, Project, Session } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";

const shownDelivered = 20;

/** `ralph message`: a person's word to the next iteration (LOOP-13). */
export const message: CommandSpec = {
  name: "message",
  summary: "tell the next iteration something",
  description:
    "Stands in the prompt of the next iteration that begins, of the run at work or of a later one, once. An iteration that is interrupted without burning an attempt has not heard it: the one after it is told again.",
  examples: [
    'ralph message "use the parser in src/date.ts, do not write another"',
    'ralph message --task t-3fa9c1 "the API moved to /v2"',
    "ralph message - < notes.txt",
    "ralph message --list",
  ],
  arguments: [{ name: "[text...]", description: "what to say; - reads it from standard input" }],
  options: [
    { flags: "--task <id>", description: "only for the next iteration on this task" },
    { flags: "--list", description: "show what waits, and what was told last" },
    { flags: "--remove <id>", description: "take back one that was not told yet" },
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
  const text = words.length === 1 && words[0] === "-" ? await readAll(process.stdin) : words.join(" ");
  const taskId = typeof options["task"] === "string" ? options["task"] : null;
  const task = taskId === null ? undefined : await requireTask(project.db, taskId);
  const added = await commit(project, (tx) => addMessage(tx, { text, taskId }, session.clock.now()));
  if (session.json) return session.out(jsonLine(added));
  session.out(`${added.id} waits for the next iteration${taskId === null ? "" : ` on ${taskId}`}`);
  if (task && task.status !== "pending" && task.status !== "in_progress")
    session.note(`${task.id} is ${task.status}: it will be told when the task is reopened`);
  session.note(`hint: ralph message --remove ${added.id} takes it back`);
}

async function list(session: Session, { db }: Project): Promise<void> {
  const messages = await listMessages(db, shownDelivered);
  if (session.json) return session.out(jsonLine(messages));
  if (messages.length === 0) session.note('no message yet; hint: ralph message "text"');
  for (const one of messages)
    session.out(`${one.id}  ${stateOf(one)}  ${clip(stripControls(oneLine(one.text)), 100)}`);
}

function stateOf({ taskId, toldAt, toldTaskId }: Message): string {
  if (toldAt !== null) return `told ${toldAt} on ${toldTaskId}`;
  return taskId === null ? "waits" : `waits for ${taskId}`;
}

async function remove(session: Session, project: Project, id: string): Promise<void> {
  refuseInsideRun("message --remove");
  const removed = await commit(project, (tx) => removeMessage(tx, id, session.clock.now()));
  if (session.json) session.out(jsonLine(removed));
  else session.out(`removed ${removed.id}`);
}
