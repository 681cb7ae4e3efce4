import { findProject } from "../../config/find-project.ts";
import type { CommandSpec } from "../shell/command.ts";
import { configurationText, rememberAgents } from "../status/remembered-agents.ts";
import { reportStatus, statusFacts } from "../status/status-report.ts";

/** `ralph status`: what is done, what is left, what runs (IF-3). Most calls are answered by `quick-status.ts`. */
export const status: CommandSpec = {
  name: "status",
  summary: "what is done, what is left, what runs",
  run: async (session, { options }) => {
    const root = findProject(session.cwd)?.root;
    const usual = options["config"] !== false && typeof options["config"] !== "string";
    const configuration = usual && root !== undefined ? configurationText(root) : undefined;
    const project = await session.openProject();
    try {
      reportStatus(session, await statusFacts(project.db, project.loaded.settings.agent));
      await rememberAgents(project.root, configuration, project.loaded);
    } finally {
      await project.close();
    }
    return 0;
  },
};
