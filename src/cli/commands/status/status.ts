import { fixable } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { findProjectWithStore } from "../../../config/find-project.ts";
import { sourcePaths } from "../../../tasks/graph/task-store.ts";
import { compareLists, type ListSync } from "../../../tasks/import-tasks.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { stepText } from "../../../ui/step-text.ts";
import { hivemindOf } from "../../project/hivemind-of.ts";
import { journalSettings } from "../../project/journal-settings.ts";
import { type CommandSpec, type Project, type Session, withProject } from "../../shell/command.ts";
import { configurationText, type ListSignatures, listSignatures, remember } from "./status-cache.ts";
import { type ChangedList, reportStatus, type StatusFacts, statusFacts } from "./status-report.ts";

/** `ralph status`: task counts, the current run and the next task (IF-3). `quick-status.ts` answers most calls. */
export const command: CommandSpec = {
  options: [
    { flags: "--all", description: "show the health of hivemind, context and journals too while it is good" },
  ],
  run: async (session, { options }) => {
    const root = findProjectWithStore(session.cwd)?.root;
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
      reportStatus(session, { ...facts, lists }, { all: options["all"] === true });
      if (signatures !== undefined)
        await remember(project.root, configuration, { ...project.loaded, hivemind, journals }, signatures);
    });
  },
};

interface ComparedLists {
  readonly lists: readonly ChangedList[];
  /** To remember, because nothing differs; undefined: something does, or an active run changes the lists itself. */
  readonly signatures: ListSignatures | null | undefined;
}

/** Compares the imported lists with their tasks (TASK-10). A list that cannot be read is a warning. */
async function comparedLists(
  session: Session,
  { db, root, loaded }: Project,
  { run }: Pick<StatusFacts, "run">,
): Promise<ComparedLists> {
  if (loaded.settings.sync === "off") return { lists: [], signatures: null };
  if (run?.active) return { lists: [], signatures: undefined };
  const signatures = listSignatures(root, await sourcePaths(db));
  try {
    const compared = await compareLists(db, { projectRoot: root }, session.clock.now());
    const differs = ({ changes, unticked }: ListSync): boolean => changes.length > 0 || unticked.length > 0;
    const lists = compared
      .filter(differs)
      .map(({ path, changes, unticked }) => ({ path, changes, unticked }));
    return { lists, signatures: lists.length === 0 ? signatures : undefined };
  } catch (error) {
    session.note(safe`warning: ${storedText(fixable(error).message)}`);
    return { lists: [], signatures: undefined };
  }
}
