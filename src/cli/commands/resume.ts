import { safe } from "../../base/safe-text.ts";
import { requestControl } from "../../loop/request-control.ts";
import { storedText } from "../../trust/stored-text.ts";
import { type CommandSpec, withProject } from "../shell/command.ts";
import { printResult } from "../shell/print-result.ts";

/** `ralph resume`: continues a paused run (LOOP-10). */
export const resume: CommandSpec = {
  examples: ["ralph resume"],
  run: async (session) => {
    return withProject(session, {}, async (project) => {
      const run = await requestControl({ ...project, clock: session.clock }, "resume");
      const wasPaused = run.wish === "pause";
      printResult(
        session,
        { run: run.id, asked: "resume", state: wasPaused ? "resumed" : "running" },
        wasPaused ? safe`${storedText(run.id)} continues` : safe`${storedText(run.id)} was not paused`,
      );
    });
  },
};
