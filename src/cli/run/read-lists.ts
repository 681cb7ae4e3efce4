import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import { compareLists, importTasks, type ListSync } from "../../tasks/import-tasks.ts";
import { safeText } from "../../trust/safe-text.ts";
import { storedLine, storedText } from "../../trust/stored-text.ts";
import { changeLines, summarizeChanges } from "../../ui/list-changes.ts";
import { journalsOf } from "../project/memory-of.ts";
import type { OptionValue, Project, Session } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";

/**
 * Imports the checklist of `--spec FILE` and returns the file's text for the prompt; null without `--spec`. Imports the
 * OpenSpec task list of `--change NAME`; in a project without OpenSpec, the name is only that of the journal, and a new one is
 * noted.
 *
 * @throws RalphError `RALPH_IMPORT_*` when a file cannot be read or imported. A spec may have no checklist.
 */
export async function readSpec(
  session: Session,
  project: Project,
  options: Readonly<Record<string, OptionValue>>,
): Promise<string | null> {
  const change = typeof options["change"] === "string" ? options["change"] : null;
  if (change !== null && !/^[A-Za-z0-9][\w.-]*$/.test(change)) {
    throw usageError(
      `invalid --change ${JSON.stringify(change)}: expected the name of a change`,
      "use the name of a folder in openspec/changes, or letters, digits, dots and dashes",
    );
  }
  if (change !== null) await readChange(session, project, change);
  const spec = options["spec"];
  if (typeof spec !== "string") return null;
  const path = resolve(session.cwd, spec);
  // The import rejects files that are not regular or over 10 MB, so it runs before the file is read whole.
  try {
    const file = { projectRoot: project.root, path: relative(project.root, path) };
    await importTasks(project.db, file, session.clock.now());
  } catch (error) {
    const noChecklist = error instanceof RalphError && error.code === "RALPH_IMPORT_EMPTY";
    if (!noChecklist) throw error;
  }
  return readFile(path, "utf8");
}

async function readChange(session: Session, project: Project, change: string): Promise<void> {
  if (existsSync(join(project.root, "openspec", "changes"))) {
    await importTasks(project.db, changeFile(project, change), session.clock.now());
    return;
  }
  const { path } = journalsOf(project).named(change);
  // A mistyped name would otherwise go unnoticed: without a list, it only makes another journal.
  if (existsSync(path)) return;
  const why = "imports no list, because there is no openspec/changes here";
  session.note(safeText(`warning: --change ${change} ${why}: it only begins a new journal (${path})`));
}

function changeFile(project: Project, change: string): { projectRoot: string; path: string } {
  return { projectRoot: project.root, path: join("openspec", "changes", change, "tasks.md") };
}

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
