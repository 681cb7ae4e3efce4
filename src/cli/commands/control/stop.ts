import { count } from "../../../base/text.ts";
import { killRun, requestControl, waitForEnd } from "../../../loop/request-control.ts";
import type { RunRow } from "../../../loop/run-store.ts";
import { refuseInsideRun } from "../../project/refuse-inside-run.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";

/** An agent is given 3 seconds to end; what follows may be a commit with slow hooks. */
const waitMs = 30_000;
/** A run that does as it is told is gone 2 seconds after a second Ctrl-C; it hears of this half a second late. */
const nowMs = 4000;

/** `ralph stop`: Ctrl-C from another terminal (LOOP-10). */
export const stop: CommandSpec = {
  name: "stop",
  summary: "stop the run that is at work",
  description:
    "Does from another terminal what Ctrl-C does: the run ends its agent, records what happened, gives the task back, and exits with code 3. Waits for that, 30 seconds at most. With --now what a second Ctrl-C does: the agent is killed, and the run with it if it does not leave at once.",
  examples: ["ralph stop", "ralph stop --now"],
  options: [
    { flags: "--now", description: "do not wait for the agent to end by itself" },
    { flags: "--no-wait", description: "only ask; do not wait until the run has ended" },
  ],
  run: async (session, { options }) => {
    refuseInsideRun("stop");
    const project = await session.openProject();
    try {
      const now = options["now"] === true;
      const place = { ...project, clock: session.clock };
      const run = await requestControl(place, now ? "stop-now" : "stop");
      const wait = options["wait"] !== false;
      const ended = wait ? await waitForEnd(place, run.id, now ? nowMs : waitMs) : undefined;
      const killed = wait && !ended && now && killRun(run);
      report(session, { run, ended: ended ?? (killed ? run : undefined), killed });
    } finally {
      await project.close();
    }
    return 0;
  },
};

interface StopResult {
  readonly run: RunRow;
  /** Undefined: it was asked and has not ended yet. */
  readonly ended: RunRow | undefined;
  readonly killed: boolean;
}

function report(session: Session, { run, ended, killed }: StopResult): void {
  const state = !ended ? "asked" : killed || ended.endedAt === null ? "killed" : "stopped";
  if (session.json) {
    const { stopReason = null, exitCode = null } = ended ?? {};
    session.out(jsonLine({ run: run.id, asked: "stop", state, reason: stopReason, exitCode }));
    return;
  }
  const { pid, host } = run.owner;
  switch (state) {
    case "stopped":
      session.out(
        `${run.id} has stopped: ${ended?.stopReason}, ${count(ended?.iterations ?? 0, "iteration")}`,
      );
      session.note("hint: ralph run goes on where it stopped");
      break;
    case "killed":
      session.out(`${run.id} was killed`);
      session.note("hint: ralph run recovers it and goes on");
      break;
    case "asked":
      session.out(`${run.id} was asked to stop (process ${pid} on ${host})`);
      session.note("hint: ralph status tells when it has; ralph stop --now does not wait for its agent");
  }
}
