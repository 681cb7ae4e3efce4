import { killOwner } from "../../agents/supervision.ts";
import { safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { requestControl, waitForEnd } from "../../loop/request-control.ts";
import type { RunRow } from "../../loop/rows/run-store.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import { type CommandSpec, inProject, type Session } from "../shell/command.ts";
import { printResult } from "../shell/io.ts";

/** Time for the agent to end (3 s) and for a commit with slow hooks. */
const waitMs = 30_000;
/** A run exits within 2 s of a forced stop, which it polls for twice a second. */
const forcedWaitMs = 4000;

/** `ralph stop`: stops the active run from another terminal (LOOP-10). */
export const command: CommandSpec = {
  description:
    "Works like Ctrl-C in the run's terminal: the run ends its agent, records the attempt, releases the task and exits with code 3. Waits for that at most 30 seconds. With --now, works like a second Ctrl-C: kills the agent, and the run if it does not exit at once.",
  examples: ["ralph stop", "ralph stop --now"],
  options: [
    { flags: "--now", description: "kill the agent instead of ending it" },
    { flags: "--no-wait", description: "do not wait until the run has ended" },
  ],
  run: inProject(async (session, project, { options }) => {
    const now = options["now"] === true;
    const place = { ...project, clock: session.clock };
    const run = await requestControl(place, now ? "stop-now" : "stop");
    const wait = options["wait"] !== false;
    const ended = wait ? await waitForEnd(place, run.id, now ? forcedWaitMs : waitMs) : undefined;
    const killed = wait && !ended && now && killOwner(run.owner);
    report(session, { run, ended: ended ?? (killed ? run : undefined), killed });
  }),
};

interface StopResult {
  readonly run: RunRow;
  /** Undefined when the run has not ended yet. */
  readonly ended: RunRow | undefined;
  readonly killed: boolean;
}

function report(session: Session, { run, ended, killed }: StopResult): void {
  const state = !ended ? "asked" : killed || ended.endedAt === null ? "killed" : "stopped";
  if (session.json) {
    const { stopReason = null, exitCode = null } = ended ?? {};
    session.out(storedJson({ run: run.id, asked: "stop", state, reason: stopReason, exitCode }));
    return;
  }
  const { pid, host } = run.owner;
  switch (state) {
    case "stopped":
      session.out(
        storedText(`${run.id} stopped: ${ended?.stopReason}, ${count(ended?.iterations ?? 0, "iteration")}`),
      );
      session.note("hint: run `ralph run` to continue");
      break;
    case "killed":
      session.out(safe`${storedText(run.id)} was killed`);
      session.note("hint: run `ralph run` to recover it and continue");
      break;
    case "asked":
      session.out(safe`${storedText(run.id)} was asked to stop (process ${pid} on ${storedText(host)})`);
      session.note("hint: run `ralph status` to see when it has stopped, or `ralph stop --now` to kill it");
  }
}

/** `ralph pause`: pauses the active run after its current iteration (LOOP-10). */
export const pause: CommandSpec = {
  description:
    "The active run finishes, records and commits its current iteration, then waits for `ralph resume`. The pause does not count towards --max-duration. A paused run can be stopped as usual. If it is killed, the next `ralph run` continues without a pause.",
  examples: ["ralph pause", "ralph resume"],
  run: inProject(async (session, project) => {
    const run = await requestControl({ ...project, clock: session.clock }, "pause");
    const state = run.pausedAt === null ? "asked" : "paused";
    printResult(
      session,
      { run: run.id, asked: "pause", state },
      state === "paused"
        ? safe`${storedText(run.id)} is already paused`
        : safe`${storedText(run.id)} will pause after its current iteration`,
    );
    session.note("hint: run `ralph resume` to continue");
  }),
};

/** `ralph resume`: continues a paused run (LOOP-10). */
export const resume: CommandSpec = {
  examples: ["ralph resume"],
  run: inProject(async (session, project) => {
    const run = await requestControl({ ...project, clock: session.clock }, "resume");
    const wasPaused = run.control === "pause";
    printResult(
      session,
      { run: run.id, asked: "resume", state: wasPaused ? "resumed" : "running" },
      wasPaused ? safe`${storedText(run.id)} continues` : safe`${storedText(run.id)} was not paused`,
    );
  }),
};
