import { requestControl } from "../../../loop/request-control.ts";
import { refuseInsideRun } from "../../project/refuse-inside-run.ts";
import type { CommandSpec } from "../../shell/command.ts";
import { jsonLine } from "../../shell/json-line.ts";

/** `ralph resume`: takes `ralph pause` back (LOOP-10). */
export const resume: CommandSpec = {
  name: "resume",
  summary: "let a paused run go on",
  examples: ["ralph resume"],
  run: async (session) => {
    refuseInsideRun("resume");
    const project = await session.openProject();
    try {
      const run = await requestControl({ ...project, clock: session.clock }, "resume");
      const was = run.wish === "pause";
      if (session.json)
        session.out(jsonLine({ run: run.id, asked: "resume", state: was ? "resumed" : "running" }));
      else session.out(was ? `${run.id} goes on` : `${run.id} was not paused`);
    } finally {
      await project.close();
    }
    return 0;
  },
};
