import { readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { importTasks } from "../../tasks/import-tasks.ts";
import type { OptionValue, Project, Session } from "../shell/command.ts";

/**
 * `--spec FILE`: imports its checklist and returns its text for the prompt; `--change NAME` does so with the change's
 * OpenSpec task list. Null when neither was given.
 *
 * @throws RalphError `RALPH_IMPORT_*` when the file cannot be read or holds no checklist and there are no tasks yet.
 */
export async function takeSpec(
  session: Session,
  project: Project,
  options: Readonly<Record<string, OptionValue>>,
): Promise<string | null> {
  const change = typeof options["change"] === "string" ? options["change"] : null;
  if (change !== null && !/^[A-Za-z0-9][\w.-]*$/.test(change)) {
    throw new RalphError("RALPH_USAGE", `--change ${JSON.stringify(change)} is no name of a change`, {
      hint: "the name of a folder in openspec/changes",
    });
  }
  if (change !== null) await importTasks(project.db, changeFile(project, change), session.clock.now());
  const spec = options["spec"];
  if (typeof spec !== "string") return null;
  const path = resolve(session.cwd, spec);
  // The import refuses what is no regular file or over 10 MB, so it comes before the file is read whole.
  try {
    const file = { projectRoot: project.root, path: relative(project.root, path) };
    await importTasks(project.db, file, session.clock.now());
  } catch (error) {
    const noChecklist = error instanceof RalphError && error.code === "RALPH_IMPORT_EMPTY";
    if (!noChecklist) throw error;
  }
  return readFile(path, "utf8");
}

function changeFile(project: Project, change: string): { projectRoot: string; path: string } {
  return { projectRoot: project.root, path: join("openspec", "changes", change, "tasks.md") };
}
