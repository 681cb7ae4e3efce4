import { formatDuration } from "../../../base/duration.ts";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { readRunReport } from "../../../loop/rows/run-report.ts";
import { type RunRow, recentRuns, runById } from "../../../loop/rows/run-store.ts";
import { runTotals } from "../../../outcome/attempt-sums-store.ts";
import { attemptsOfRun } from "../../../outcome/outcome-store.ts";
import { getTask, requireTask } from "../../../tasks/graph/task-store.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { painter } from "../../../ui/paint.ts";
import { estimatedOf, renderNeeds, renderReport } from "../../../ui/render-report.ts";
import { costText, utc } from "../../../view/format.ts";
import { requireRun } from "../../project/require-run.ts";
import { summaryColumns } from "../../project/session.ts";
import { type CommandSpec, type Project, type Session, withProject } from "../../shell/command.ts";
import { positiveInteger } from "../../shell/io.ts";
import { attemptLine } from "./attempt-lines.ts";
import { logTask } from "./log-task.ts";

/** `ralph log`: runs and attempts with their results. */
export const command: CommandSpec = {
  description:
    "Without an argument, shows the latest runs, the newest last. With a run's id, shows its summary and attempts. With a task's id, shows its whole history.",
  examples: [
    "ralph log                  the latest runs, the newest last",
    "ralph log run-1a2b3c4d5e   one run with its summary and attempts",
    "ralph log t-3fa9c1         every attempt at one task, with its failure reports",
  ],
  arguments: [{ name: "[id]", description: "the id of a task or a run" }],
  options: [{ flags: "--last <n>", description: "number of runs to show (default: 20)" }],
  run: async (session, { args, options }) => {
    const last = positiveInteger(options["last"], "--last") ?? 20;
    return withProject(session, {}, async (project) => {
      const { id } = args;
      if (typeof id === "string") await logNamed(session, project, id);
      else await logRuns(session, project, last);
    });
  },
};

/** Looks for a task first, because a task may have any id, even that of a run. */
async function logNamed(session: Session, project: Project, id: string): Promise<void> {
  const task = await getTask(project.db, id);
  if (task) return logTask(session, project, task);
  if (!id.startsWith("run-") && !(await runById(project.db, id))) await requireTask(project.db, id);
  return logRun(session, project, await requireRun(project.db, id));
}

/** Prints the latest runs, one line each. */
async function logRuns(session: Session, { db }: Project, last: number): Promise<void> {
  const runs = await recentRuns(db, last);
  const rows = [];
  for (const run of runs) {
    const { attempts, done, costUsd, byModel } = await runTotals(db, run.id);
    rows.push({ ...runFields(run), attempts, done, costUsd, estimatedUsd: estimatedOf({ byModel }) });
  }
  if (session.json) return session.out(storedJson(rows));
  if (rows.length === 0) return session.note("no runs yet; hint: run `ralph run`");
  const reasonOf = ({ reason }: { readonly reason: string | null }) => storedText(reason ?? "not ended");
  const width = rows.reduce((most, run) => Math.max(most, reasonOf(run).length), 0);
  for (const run of rows.toReversed()) {
    const cost = run.costUsd === null ? safe`` : safe` · ${costText(run.costUsd, 2, run.estimatedUsd > 0)}`;
    session.out(
      safe`${utc(run.startedAt)}  ${storedText(run.id)}  ${reasonOf(run).padEnd(width)}  ${run.done} of ${run.attempts} done${tookOf(run)}${cost}${machineOf(run)}${nameOf(run.name)}`,
    );
  }
  session.note(safe`hint: run \`ralph log ${storedText(rows[0]?.id ?? "")}\` for its summary`);
}

function tookOf({ startedAt, endedAt }: Pick<RunRow, "startedAt" | "endedAt">): SafeText {
  return endedAt === null ? safe`` : safe` · ${formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}`;
}

function machineOf({ machine }: Pick<RunRow, "machine">): SafeText {
  return machine === undefined ? safe`` : safe` · on ${storedLine(machine, 60)}`;
}

function nameOf(name: string | null): SafeText {
  return name === null ? safe`` : safe` · ${storedLine(name, 60)}`;
}

function runFields(run: RunRow) {
  const { id, session, startedAt, endedAt, stopReason, exitCode, agent, strategy, iterations, machine } = run;
  const ended = { startedAt, endedAt, reason: stopReason, exitCode };
  const where = machine === undefined ? {} : { machine };
  return { id, name: session, ...ended, agent, strategy, iterations, ...where };
}

/** Prints the summary of one run and each of its attempts. */
async function logRun(session: Session, { db }: Project, run: RunRow): Promise<void> {
  const until = run.endedAt === null ? session.clock.now() : new Date(run.endedAt);
  const report = await readRunReport(db, run.id, until);
  const attempts = await attemptsOfRun(db, run.id);
  if (session.json) return session.out(storedJson({ ...runFields(run), report, attempts }));
  const paint = painter(session.screen.colour);
  const style = { width: summaryColumns(session.screen), short: false };
  const reason = run.endedAt === null ? safe`has not ended` : storedText(`ended: ${run.stopReason}`);
  session.out(
    safe`${storedText(run.id)}  ${utc(run.startedAt)}, ${reason}${tookOf(run)}${machineOf(run)}${nameOf(run.session)}`,
  );
  session.out(joinSafe([...renderReport(report, paint, style)], "\n"));
  const needs = [];
  for (const { id, status } of report.tasks.filter((task) => !task.done)) {
    const task = await getTask(db, id);
    const reason = task?.statusReason ?? `${status}: its last attempt in this run failed`;
    if (status !== "done") needs.push({ id, title: task?.title ?? "", reason });
  }
  if (needs.length > 0) session.out(joinSafe(renderNeeds(needs, paint, style), "\n"));
  for (const attempt of attempts) session.out(storedText(`  ${attempt.taskId}  ${attemptLine(attempt)}`));
  const [first] = needs;
  session.note(safe`hint: run \`ralph log ${storedText(first?.id ?? "TASK")}\` for a task's whole history`);
}
