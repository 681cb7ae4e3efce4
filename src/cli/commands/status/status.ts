import { findProject } from "../../../config/find-project.ts";
import { stepText } from "../../../ui/step-text.ts";
import { hivemindOf } from "../../project/hivemind-of.ts";
import { journalSettings } from "../../project/journal-settings.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { comparedLists } from "./compared-lists.ts";
import { configurationText, remember } from "./remembered-agents.ts";
import { reportStatus, statusFacts } from "./status-report.ts";

/** `ralph status`: task counts, the current run and the next task (IF-3). `quick-status.ts` answers most calls. */
export const status: CommandSpec = {
  run: async (session, { options }) => {
    const root = findProject(session.cwd)?.root;
    const hasUsualFiles = options["config"] !== false && typeof options["config"] !== "string";
    const configuration = hasUsualFiles && root !== undefined ? configurationText(root) : undefined;
    return withProject(session, {}, async (project) => {
      const hivemind = hivemindOf(project)?.path ?? null;
      const { agent, journal } = project.loaded.settings;
      const journals = journalSettings(project.root, journal).folder;
      const facts = await statusFacts(project.db, {
        agent,
        root: project.root,
        hivemind,
        journals,
        stepText,
      });
      const { lists, signatures } = await comparedLists(session, project, facts);
      reportStatus(session, { ...facts, lists });
      if (signatures !== undefined)
        await remember(project.root, configuration, { ...project.loaded, hivemind, journals }, signatures);
    });
  },
};
