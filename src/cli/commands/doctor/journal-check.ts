import { RalphError } from "../../../base/errors.ts";
import { journalStatus } from "../../../memory/kinds.ts";
import { nextTask } from "../../../tasks/graph/next-task.ts";
import { healthText } from "../../project/health-lines.ts";
import { journalSettings } from "../../project/journal-settings.ts";
import { journalsOf } from "../../project/memory-of.ts";
import type { Project } from "../../shell/command.ts";
import { type Check, passed, warned } from "./check.ts";

/** Checks that agents may use the journal of the next task's change. */
export async function checkJournal(project: Pick<Project, "root" | "db" | "loaded">): Promise<Check> {
  const check = "journal";
  const journals = journalsOf(project);
  const { folder } = journalSettings(project.root, project.loaded.settings.journal);
  const health = healthText(await journalStatus(project.db, folder));
  const last = health === "" ? "" : `; ${health}`;
  try {
    const journal = await journals.of((await nextTask(project.db)) ?? null);
    const read = journals.read(journal, 0);
    const size = read ? `${read.bytes} bytes` : "not written yet";
    return passed({ check, detail: `${journal.path}: ${size}${last}` });
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // Runs continue without it.
    return warned({ check, detail: `${error.message}${last}` }, error.hint ?? "");
  }
}
