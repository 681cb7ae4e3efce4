import { text as readAll } from "node:stream/consumers";
import { redacted, type SafeText, safe } from "../../base/safe-text.ts";
import { activeRun, waitForAnswer } from "../../loop/request-control.ts";
import { commit } from "../../loop/rows/loop.ts";
import {
  addMessage,
  letWait,
  listMessages,
  type Message,
  messageById,
  removeMessage,
} from "../../loop/rows/message-store.ts";
import { listClaims } from "../../tasks/graph/claim-store.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { columnText } from "../../trust/safe-text.ts";
import { storedJson, storedLine, storedText } from "../../trust/stored-text.ts";
import {
  type CommandSpec,
  type Invocation,
  inProject,
  type Project,
  type Session,
} from "../shell/command.ts";
import { printResult } from "../shell/io.ts";

const shownDelivered = 20;

/** How long a run may take to pass a message on. It looks twice a second; some agents read one only after their tool. */
const answerMs = 5000;

/** `ralph message`: a person's message to the next iteration, or to the working agent (LOOP-13, AGENT-7). */
export const command: CommandSpec = {
  description:
    "Added to the prompt of the next iteration, of the active run or of a later one. With --now, the active run passes it to each agent that works now and takes messages while it works; otherwise it waits for the next iteration, and the answer says why. If an iteration that got the message is interrupted, the message is delivered again.",
  examples: [
    'ralph message "use the parser in src/date.ts, do not write another"',
    'ralph message --now "stop rewriting the tests, the parser is wrong"',
    'ralph message --task t-3fa9c1 "the API moved to /v2"',
    "ralph message - < notes.txt",
    "ralph message --list",
  ],
  arguments: [{ name: "[text...]", description: "the message; - reads standard input" }],
  options: [
    { flags: "--now", description: "pass it to the working agent, if it takes messages while it works" },
    { flags: "--task <id>", description: "deliver only to an iteration on this task" },
    { flags: "--list", description: "list waiting and recently delivered messages" },
    { flags: "--remove <id>", description: "cancel an undelivered message" },
  ],
  run: inProject(async (session, project, invocation) => {
    if (invocation.options["list"] === true) await list(session, project);
    else if (typeof invocation.options["remove"] === "string")
      await remove(session, project, invocation.options["remove"]);
    else await add(session, project, invocation);
  }),
};

async function add(session: Session, project: Project, { args, options }: Invocation): Promise<void> {
  const words = [args["text"] ?? []].flat();
  const isFromStdin = words.length === 1 && words[0] === "-";
  const text = columnText(isFromStdin ? await readAll(process.stdin) : words.join(" "));
  const taskId = typeof options["task"] === "string" ? options["task"] : null;
  const task = taskId === null ? undefined : await requireTask(project.db, taskId);
  const isNow = options["now"] === true;
  const tasks = isNow && taskId === null ? await tasksAtWork(project) : [taskId];
  const stored = await commit(project, async (tx) => {
    const messages: Message[] = [];
    for (const id of tasks)
      messages.push(await addMessage(tx, { text, taskId: id, now: isNow }, session.clock.now()));
    return messages;
  });
  const added = isNow ? await Promise.all(stored.map((one) => passOn(session, project, one))) : stored;
  if (session.json) return session.out(storedJson(added.length === 1 ? added[0] : added));
  for (const one of added) session.out(safe`${storedText(one.id)} ${answerOf(one)}`);
  const waiting = added.find(({ iterationId }) => iterationId === null);
  if (!waiting) return;
  if (task && task.status !== "pending" && task.status !== "in_progress")
    session.note(
      safe`${storedText(task.id)} is ${task.status}; the message will be delivered if the task is reopened`,
    );
  session.note(safe`hint: run \`ralph message --remove ${storedText(waiting.id)}\` to cancel it`);
}

/** Returns the tasks of several workers, each of which gets the message; one worker takes it whatever its task is. */
async function tasksAtWork({ db }: Project): Promise<readonly (string | null)[]> {
  const claims = await listClaims(db);
  return claims.length > 1 ? claims.map(({ taskId }) => taskId) : [null];
}

/** Lets the active run pass the message to its agent. Returns the message with what came of it. */
async function passOn(session: Session, project: Project, message: Message): Promise<Message> {
  const place = { ...project, clock: session.clock };
  if (await activeRun(project.db)) return (await waitForAnswer(place, message.id, answerMs)) ?? message;
  return commit(project, async (tx) => {
    await letWait(tx, message.id, redacted`no run is active`, session.clock.now());
    return (await messageById(tx, message.id)) ?? message;
  });
}

function answerOf({ now, agent, reason, iterationId, taskId, deliveredTaskId }: Message): SafeText {
  const task = storedText(deliveredTaskId ?? taskId ?? "");
  if (now === "passed") return safe`was passed to the working agent (${storedText(agent ?? "")}, on ${task})`;
  if (now === "passing")
    return safe`was given to the working agent (${storedText(agent ?? "")}, on ${task}), which reads it after its current step; if the agent ends before, the message waits for the next iteration`;
  if (iterationId !== null) return safe`is in the prompt of the iteration that has just begun on ${task}`;
  const recipient = taskId === null ? safe`` : safe` on ${task}`;
  const why = reason === null ? safe`` : safe`: ${storedText(reason)}`;
  return safe`waits for the next iteration${recipient}${why}`;
}

async function list(session: Session, { db }: Project): Promise<void> {
  const messages = await listMessages(db, shownDelivered);
  if (session.json) return session.out(storedJson(messages));
  if (messages.length === 0) session.note('no messages yet; hint: run `ralph message "text"`');
  for (const one of messages)
    session.out(safe`${storedText(one.id)}  ${stateOf(one)}  ${storedLine(one.text, 100)}`);
}

function stateOf({ taskId, deliveredAt, deliveredTaskId, now, agent }: Message): SafeText {
  if (now === "passing") return storedText(`given to ${agent}, not yet read, on ${deliveredTaskId}`);
  if (now === "passed") return storedText(`passed to ${agent} ${deliveredAt} on ${deliveredTaskId}`);
  if (deliveredAt !== null) return storedText(`delivered ${deliveredAt} on ${deliveredTaskId}`);
  return taskId === null ? safe`waits` : safe`waits for ${storedText(taskId)}`;
}

async function remove(session: Session, project: Project, id: string): Promise<void> {
  const removed = await commit(project, (tx) => removeMessage(tx, id, session.clock.now()));
  printResult(session, removed, safe`removed ${storedText(removed.id)}`);
}
