import { formatDuration } from "../../../base/duration.ts";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, count } from "../../../base/text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { type OpenIteration, openIterations } from "../../../loop/rows/iteration-store.ts";
import { type Message, messagesTo } from "../../../loop/rows/message-store.ts";
import { commitsOf } from "../../../loop/rows/pending-commit-store.ts";
import { reportsOf } from "../../../memory/read-failures.ts";
import { type Interruption, interruptionsOf } from "../../../outcome/interruption-store.ts";
import { attemptsOf } from "../../../outcome/outcome-store.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { readTaskLog, type TaskLogLine } from "../../../tasks/graph/task-log-store.ts";
import { slug } from "../../../trust/safe-name.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { utc } from "../../../view/format.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";
import { salvageRefs } from "../../../workspace/salvage.ts";
import type { Project, Session } from "../../shell/command.ts";
import { attemptLine, reportLines, sessionLines, warningLines } from "./attempt-lines.ts";

/** Prints the whole history of a task: attempts, interruptions, status changes, commits and salvages. */
export async function logTask(session: Session, project: Project, task: Task): Promise<void> {
  const facts = await read(project, task);
  const { attempts, reports, interruptions, open, messages, history, commits, salvages } = facts;
  if (session.json) {
    const { id, title, status, statusReason, parentId, source } = task;
    session.out(storedJson({ id, title, status, statusReason, parentId, source, ...facts }));
    return;
  }
  for (const line of headOf(task, attempts.length)) session.out(storedText(line));
  const entries = [
    ...attempts.map((attempt) => {
      const report = reports.find((one) => one.attempt === attempt.attempt);
      const refused = attempt.splitRefused ? [`split rejected: ${attempt.splitRefused}`] : [];
      const details = [
        ...sessionLines(attempt),
        ...warningLines(attempt),
        ...(report ? reportLines(report, attempt.reason) : []),
        ...refused,
      ];
      const head = `${attemptLine(attempt)}${attempt.agent ? ` · ${storedText(attempt.agent)}` : ""}`;
      return { at: attempt.startedAt, lines: [head, ...details.map((text) => `  ${storedText(text)}`)] };
    }),
    ...interruptions.map((one) => ({ at: one.startedAt, lines: [interruptionLine(one)] })),
    ...open.map((one) => ({ at: one.startedAt, lines: [openLine(one, session.clock.now())] })),
    ...messages.map((one) => ({ at: one.deliveredAt ?? one.createdAt, lines: [messageLine(one)] })),
    ...history.map(({ timestamp, message }) => {
      return { at: timestamp, lines: [storedLine(withoutReason(message, task.statusReason), 300)] };
    }),
  ];
  for (const { at, lines } of entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)))
    session.out(safe`\n${utc(at)}  ${storedText(lines.join("\n"))}`);
  if (commits.length > 0) session.out(safe`\ncommitted: ${committedLine(commits, history)}`);
  if (salvages.length > 0)
    session.out(safe`\nsalvaged unfinished work: ${storedText(salvages.join(", "))} (view with git show)`);
  if (attempts.length + open.length === 0) session.note("no attempts yet; hint: run `ralph run`");
}

/** Returns the commits, with those reverted by `ralph undo` marked. */
function committedLine(commits: readonly string[], history: readonly TaskLogLine[]): SafeText {
  const undone = history
    .flatMap(({ message }) => (message.startsWith("undone: ") ? [message] : []))
    .join("\n");
  const short = commits.map((hash) => hash.slice(0, 9));
  return joinSafe(
    short.map((hash) => (undone.includes(hash) ? safe`${storedText(hash)} (undone)` : storedText(hash))),
    ", ",
  );
}

async function read({ db, root }: Project, { id }: Task) {
  const lines = await readTaskLog(db, id, 500);
  return {
    attempts: await attemptsOf(db, id),
    reports: await reportsOf(db, id),
    interruptions: await interruptionsOf(db, id),
    open: (await openIterations(db))
      .filter(({ taskId }) => taskId === id)
      .map(({ attempt, model, startedAt }) => ({ attempt, model, startedAt })),
    messages: await messagesTo(db, id),
    // The attempts already show when the task was claimed and released.
    history: lines.filter(({ message }) => !/^(?:claimed|released|updated)\b/.test(message)),
    commits: await commitsOf(db, id),
    salvages: await openWorkspace(root, childEnvironment()).then(
      (workspace) => salvageRefs(workspace, slug(id)),
      () => [],
    ),
  };
}

function headOf(task: Task, attempts: number): readonly string[] {
  const why = task.statusReason ? `: ${storedLine(task.statusReason, 300)}` : "";
  const { source, parentId } = task;
  return [
    `${task.id}  ${clip(storedText(task.title), 120)}`,
    `${task.status}${why}; ${count(attempts, "attempt")}`,
    ...(parentId === null ? [] : [`part of ${parentId}`]),
    ...(source ? [`from ${storedText(source.path)} (${storedText(source.key)})`] : []),
  ];
}

/** The head shows the current reason. */
function withoutReason(message: string, reason: string | null): string {
  const isShown = reason !== null && message.startsWith("blocked") && message.endsWith(`: ${reason}`);
  return isShown ? message.slice(0, -reason.length - 2) : message;
}

/** After a kill the iteration also has no end, until the next run recovers it. */
function openLine(
  { attempt, model, startedAt }: Pick<OpenIteration, "attempt" | "model" | "startedAt">,
  now: Date,
): string {
  const elapsed = formatDuration(Math.max(0, now.getTime() - Date.parse(startedAt)));
  return `attempt ${attempt} · not ended yet · ${storedText(model)} · ${elapsed}`;
}

function messageLine({ id, text, now, agent }: Message): string {
  const how =
    now === "passed" ? `passed to ${agent}` : now === "passing" ? `given to ${agent}` : "in the prompt";
  return `message ${id} ${how}: ${storedLine(text, 200)}`;
}

function interruptionLine({ kind, message, durationMs, resetAt }: Interruption): string {
  const until = resetAt ? `; until ${utc(resetAt)}` : "";
  const why = storedLine(message, 200);
  return `interrupted by ${storedText(kind).replaceAll("_", " ")} after ${formatDuration(durationMs)} (attempt not counted): ${why}${until}`;
}
