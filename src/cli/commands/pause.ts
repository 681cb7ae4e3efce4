import { safe } from "../../base/safe-text.ts";
import { requestControl } from "../../loop/request-control.ts";
import { storedText } from "../../trust/stored-text.ts";
import { type CommandSpec, inProject } from "../shell/command.ts";
import { printResult } from "../shell/print-result.ts";

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
