import { formatDuration } from "../../base/duration.ts";
import { clip, count, oneLine } from "../../base/text.ts";
import { commitsOf } from "../../loop/pending-commit-store.ts";
import { type FailureView, reportsOf } from "../../memory/read-failures.ts";
import { extractError } from "../../outcome/extract-error.ts";
import { type Attempt, attemptsOf, recentAttempts } from "../../outcome/outcome-store.ts";
import { requireTask } from "../../tasks/task-store.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { CommandSpec, Project, Session } from "../command.ts";

/** `ralph log`: what was tried, and what came of it. */
export const log: CommandSpec = {
  name: "log",
  summary: "what was tried, and what came of it",
  examples: [
    "ralph log            the latest attempts",
    "ralph log t-3fa9c1   every attempt on one task, with its failure reports",
  ],
  arguments: [{ name: "[task]", description: "only this task, in full" }],
  options: [{ flags: "--last <n>", description: "how many attempts (20)" }],
  run: async (session, { args, options }) => {
    const project = await session.openProject();
    try {
      const id = args["task"];
      if (typeof id === "string") await logTask(session, project, id);
      else await logRecent(session, project, Number(options["last"] ?? 20) || 20);
    } finally {
      await project.close();
    }
    return 0;
  },
};

async function logRecent(session: Session, project: Project, last: number): Promise<void> {
  const attempts = await recentAttempts(project.db, last);
  if (session.json) return session.out(JSON.stringify(attempts));
  if (attempts.length === 0) session.note("nothing was tried yet; hint: ralph run");
  for (const attempt of [...attempts].reverse())
    session.out(`${attempt.startedAt}  ${attempt.taskId}  ${line(attempt)}`);
}

async function logTask(session: Session, project: Project, id: string): Promise<void> {
  const task = await requireTask(project.db, id);
  const attempts = await attemptsOf(project.db, id);
  const reports = await reportsOf(project.db, id);
  const commits = await commitsOf(project.db, id);
  if (session.json) {
    return session.out(
      JSON.stringify({ id, title: task.title, status: task.status, attempts, reports, commits }),
    );
  }
  session.out(`${id}  ${clip(stripControls(task.title), 120)}`);
  const why = task.statusReason ? `: ${clip(stripControls(oneLine(task.statusReason)), 300)}` : "";
  session.out(`${task.status}${why}; ${count(attempts.length, "attempt")}`);
  for (const attempt of attempts) {
    session.out(`\n${line(attempt)}`);
    const report = reports.find((one) => one.attempt === attempt.attempt);
    for (const text of report ? reportLines(report) : []) session.out(`  ${text}`);
  }
  if (commits.length > 0) session.out(`\ncommitted: ${commits.map((hash) => hash.slice(0, 9)).join(", ")}`);
}

function line(attempt: Attempt): string {
  const cost = attempt.costUsd === null ? "" : ` · $${attempt.costUsd.toFixed(4)}`;
  const verdict = attempt.verification ? `${attempt.outcome} (${attempt.verification})` : attempt.outcome;
  const reason = attempt.reason ? `: ${clip(stripControls(oneLine(attempt.reason)), 200)}` : "";
  return `attempt ${attempt.attempt} · ${verdict} · ${stripControls(attempt.model)} · ${formatDuration(attempt.durationMs)}${cost}${reason}`;
}

function reportLines(report: FailureView): readonly string[] {
  const safe = (text: string, max: number) => clip(stripControls(oneLine(text)), max);
  const error = stripControls(extractError(report.errorOutput, 1500))
    .split("\n")
    .filter((text) => text.trim() !== "");
  return [
    `tried: ${safe(report.whatTried, 400)}`,
    `failed because: ${safe(report.whyFailed, 400)}`,
    `type: ${safe(report.category, 60)}${report.files.length > 0 ? ` · files: ${safe(report.files.join(", "), 300)}` : ""}`,
    ...error.slice(0, 30).map((text) => `| ${clip(text, 200)}`),
    ...(report.retrySuggestion ? [`suggests: ${safe(report.retrySuggestion, 400)}`] : []),
  ];
}
