import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { importTasks } from "../../tasks/import-tasks.ts";
import { safeText } from "../../trust/safe-text.ts";
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
    const path = join("openspec", "changes", change, "tasks.md");
    await importTasks(project.db, { projectRoot: project.root, path }, session.clock.now());
    return;
  }
  const { path } = journalsOf(project).named(change);
  // A mistyped name would otherwise go unnoticed: without a list, it only makes another journal.
  if (existsSync(path)) return;
  const why = "imports no list, because there is no openspec/changes here";
  session.note(safeText(`warning: --change ${change} ${why}: it only begins a new journal (${path})`));
}
