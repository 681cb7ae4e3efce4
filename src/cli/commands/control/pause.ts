import { requestControl } from "../../../loop/request-control.ts";
import { refuseInsideRun } from "../../project/refuse-inside-run.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";

/** `ralph pause`: the run ends its iteration and then waits (LOOP-10). */
export const pause: CommandSpec = {
  name: "pause",
  summary: "hold the run after its iteration",
  description:
    "The run that is at work ends its iteration, records and commits it, and then waits for `ralph resume`; the time does not count towards --max-duration. A paused run can be stopped as usual. One that is killed is not paused any more: the next ralph run just goes on.",
  examples: ["ralph pause", "ralph resume"],
  run: async (session) => {
    refuseInsideRun("pause");
    const project = await session.openProject();
    try {
      const run = await requestControl({ ...project, clock: session.clock }, "pause");
      const state = run.pausedAt === null ? "asked" : "paused";
      if (session.json) session.out(jsonLine({ run: run.id, asked: "pause", state }));
      else
        session.out(
          state === "paused"
            ? `${run.id} is paused already`
            : `${run.id} pauses when its iteration has ended`,
        );
      session.note("hint: ralph resume goes on");
    } finally {
      await project.close();
    }
    return 0;
  },
};
