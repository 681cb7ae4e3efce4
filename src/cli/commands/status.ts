import { findProject } from "../../config/find-project.ts";
import type { CommandSpec } from "../shell/command.ts";
import { configurationText, rememberAgents } from "../status/remembered-agents.ts";
import { reportStatus, statusFacts } from "../status/status-report.ts";

/** `ralph status`: task counts, the current run and the next task (IF-3). `quick-status.ts` answers most calls. */
export const status: CommandSpec = {
  name: "status",
  summary: "show task counts, the current run and the next task",
  run: async (session, { options }) => {
    const root = findProject(session.cwd)?.root;
    const hasUsualFiles = options["config"] !== false && typeof options["config"] !== "string";
    const configuration = hasUsualFiles && root !== undefined ? configurationText(root) : undefined;
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
