import { RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import { compareLists, type ListSync } from "../../tasks/import-tasks.ts";
import { storedLine, storedText } from "../../trust/stored-text.ts";
import { changeLines, summarizeChanges } from "../../ui/list-changes.ts";
import type { Project, Session } from "../shell/command.ts";

/**
 * Decides by the setting `sync` if a run adopts the changes of imported lists (TASK-10), and asks where it has to. A dry run
 * only shows them.
 *
 * @throws RalphError `RALPH_SYNC_UNDECIDED` when it cannot ask; the errors of `compareLists`.
 */
export async function shouldAdoptLists(
  session: Session,
  project: Project,
  { dryRun }: { readonly dryRun: boolean },
): Promise<boolean> {
  const { sync } = project.loaded.settings;
  if (sync === "off" || (sync === "auto" && !dryRun)) return sync === "auto";
  const lists = await compareLists(project.db, { projectRoot: project.root }, session.clock.now());
  const changed = lists.filter(({ changes }) => changes.length > 0);
  for (const list of changed) showChanges(session, list);
  if (dryRun || changed.length === 0) {
    for (const { warnings } of lists)
      for (const warning of warnings) session.note(safe`warning: ${storedLine(warning, 500)}`);
    return false;
  }
  if (!session.canAsk) {
    const paths = changed.map(({ path }) => path).join(", ");
    throw new RalphError("RALPH_SYNC_UNDECIDED", `cannot ask about the changes of ${paths} (sync: ask)`, {
      hint: "run `ralph task sync` to adopt them, or set sync: auto",
    });
  }
  return session.confirm("Adopt these changes?", true);
}

/** Notes the differences of a list. */
function showChanges(session: Pick<Session, "note">, { path, changes }: ListSync): void {
  session.note(safe`${storedText(path)} changed: ${summarizeChanges(changes)}`);
  for (const line of changeLines(changes)) session.note(safe`  ${line}`);
}
