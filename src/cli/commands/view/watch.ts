import { type CommandSpec, withProject } from "../../shell/command.ts";
import { openLiveView, requireTerminal } from "../../view/live-view.ts";

/** `ralph watch`: the live view of the project's run, in another terminal (UX-2). */
export const command: CommandSpec = {
  description:
    "Shows what waits for you, what runs, the last failures and what was done, and does what keys ask for. It reads the store, so it also works after the run was killed. Leave with q; the run continues.",
  examples: ["ralph watch"],
  run: async (session, { options }) => {
    requireTerminal(session, "ralph watch", "run `ralph status`, or `ralph events --follow` for lines");
    await withProject(session, {}, async (project) => {
      await new Promise<void>((onLeave) => {
        const endings = ["SIGTERM", "SIGHUP", "SIGQUIT"] as const;
        const view = openLiveView(session, project, { options, runId: null, endings, onLeave });
        process.once("SIGINT", () => view.leave());
      });
    });
  },
};
