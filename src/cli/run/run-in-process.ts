import { RalphError } from "../../base/errors.ts";
import { watchControl } from "../../loop/request-control.ts";
import { type RunResult, runLoop } from "../../loop/run-loop.ts";
import { shareCounts } from "../project/pooled-lift.ts";
import type { Project, Session } from "../shell/command.ts";
import { describeError } from "../shell/print-error.ts";
import { listenForStop, type StopSignals } from "../shell/stop-signals.ts";
import { openOutlets, startBackups } from "./event-outlets.ts";
import type { PreparedRun } from "./prepare-run.ts";
import { notePullRequest, openPullRequest } from "./pull-request.ts";
import { showSession } from "./session-notes.ts";
import { type RunView, watchRun } from "./watch-run.ts";

/** Runs the loop in this process, with its events shown on the screen and with signals and `ralph stop` passed to it.
 * Returns the exit code. */
export async function runInProcess(session: Session, run: PreparedRun, view: RunView): Promise<number> {
  await showSession(session, run);
  const watched = await watchRun(session, run, view);
  const signals = listenForStop({ notify: (text) => watched.notify(text), leave: () => watched.end() });
  const outlets = await openOutlets(run);
  const backups = startBackups({ ...run, notify: (text) => watched.notify(text) });
  const unbind = endWithoutServer(signals, run.project);
  const unwatch = watchControl(run, { stop: signals.requestStop, forceStop: signals.requestForceStop });
  try {
    const { stop, forceStop, killable } = signals;
    const end = await runLoop({ ...run, stop, forceStop, killable });
    watched.end();
    await shareCounts(run.project).catch(() => undefined);
    const isOpen = await publish(session, run, end);
    await outlets.close({ stopping: signals.stop.aborted });
    if (end.fault === null) await backups.close();
    // The run's last lines contain the message and hint of an error that a user can fix.
    const isShown = end.fault === null || (end.fault instanceof RalphError && !session.json);
    if (!isShown) session.note(describeError(end.fault, { json: false, verbose: session.verbose }));
    // The fault can also keep the run's last events from the log; the next command moves them there.
    if (end.fault !== null) await run.project.close().catch(() => undefined);
    else if (signals.stop.aborted) await run.project.close();
    signals.reraise();
    return end.exitCode === 0 && !isOpen ? 5 : end.exitCode;
  } finally {
    unbind();
    unwatch();
    watched.end();
    watched.close();
    signals.dispose();
  }
}

/** How often a run that is asked to stop looks whether its server is gone, in milliseconds. */
const lookMs = 2000;

/** A run that is asked to stop does not wait for a server: the next one recovers what it cannot record. */
function endWithoutServer(
  { stop, requestForceStop }: Pick<StopSignals, "stop" | "requestForceStop">,
  project: Pick<Project, "isWaiting">,
): () => void {
  const timer = setInterval(() => {
    if (stop.aborted && project.isWaiting()) requestForceStop();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Opens the pull request of `--pr`. A run that a person stopped, or that an error ended, opens none. Returns false when that failed. */
async function publish(
  session: Session,
  { pullRequest: plan, project, workspace }: PreparedRun,
  end: RunResult,
): Promise<boolean> {
  if (plan === null) return true;
  await notePullRequest({ workspace }, plan);
  if (end.fault !== null || end.reason === "stopped") return true;
  const now = session.clock.now();
  const { lines, isOpen } = await openPullRequest({ project, workspace, plan, end, now });
  for (const line of lines) session.note(line);
  return isOpen;
}
