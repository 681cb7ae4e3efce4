import { RalphError } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { sourcePaths } from "../../../tasks/graph/task-store.ts";
import { compareLists, type ListSync } from "../../../tasks/import-tasks.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { Project, Session } from "../../shell/command.ts";
import { type ListSignatures, listSignatures } from "./list-signatures.ts";
import type { ChangedList, StatusFacts } from "./status-report.ts";

interface ComparedLists {
  readonly lists: readonly ChangedList[];
  /** To remember, because nothing differs; undefined: something does, or an active run changes the lists itself. */
  readonly signatures: ListSignatures | null | undefined;
}

/** Compares the imported lists with their tasks (TASK-10). A list that cannot be read is a warning. */
export async function comparedLists(
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
    if (!(error instanceof RalphError)) throw error;
    session.note(safe`warning: ${storedText(error.message)}`);
    return { lists: [], signatures: undefined };
  }
}
