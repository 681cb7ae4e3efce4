import { safe } from "../../base/safe-text.ts";
import { requestControl } from "../../loop/request-control.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import type { CommandSpec } from "../shell/command.ts";

/** `ralph resume`: continues a paused run (LOOP-10). */
export const resume: CommandSpec = {
  examples: ["ralph resume"],
  run: async (session) => {
    const project = await session.openProject();
    try {
      const run = await requestControl({ ...project, clock: session.clock }, "resume");
      const wasPaused = run.wish === "pause";
      if (session.json)
        session.out(storedJson({ run: run.id, asked: "resume", state: wasPaused ? "resumed" : "running" }));
      else
        session.out(
          wasPaused ? safe`${storedText(run.id)} continues` : safe`${storedText(run.id)} was not paused`,
        );
    } finally {
      await project.close();
    }
    return 0;
  },
};
