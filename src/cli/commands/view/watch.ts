import { type CommandSpec, withProject } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";
import { executeHere } from "../../view/execute.ts";
import { openLiveView } from "../../view/live-view.ts";
import { openView } from "../../view/open-view.ts";

/** `ralph watch`: the live view of the project's run, in another terminal (UX-2). */
export const command: CommandSpec = {
  description:
    "Shows what waits for you, what runs, the last failures and what was done, and does what keys ask for. It reads the store, so it also works after the run was killed. Leave with q; the run goes on.",
  examples: ["ralph watch"],
  run: async (session, { options }) => {
    if (!session.screen.outIsTerminal || session.json || process.stdin.isTTY !== true)
      throw usageError(
        "ralph watch needs a terminal",
        "run `ralph status`, or `ralph events --follow` for lines",
      );
    await withProject(session, {}, async (project) => {
      const { read } = openView(session, project, { runId: null });
      const { colour } = session.screen;
      const execute = (words: readonly string[]) => executeHere(session, options, words);
      await new Promise<void>((resolve) => {
        const view = openLiveView({ read, execute, colour, onLeave: resolve });
        process.once("SIGINT", () => view.leave());
      });
    });
  },
};
