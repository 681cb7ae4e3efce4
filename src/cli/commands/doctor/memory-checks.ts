import { RalphError } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import type { LoadedSettings } from "../../../config/settings.ts";
import { hivemindStatus } from "../../../memory/hivemind-actions.ts";
import { contextStatus, journalStatus } from "../../../memory/kinds.ts";
import type { Reader } from "../../../store/port/db.ts";
import { nextTask } from "../../../tasks/graph/next-task.ts";
import { contextText, failedLast, healthText } from "../../project/health-lines.ts";
import { hivemindOf } from "../../project/hivemind-of.ts";
import { journalSettings } from "../../project/journal-settings.ts";
import { journalsOf } from "../../project/memory-of.ts";
import type { Project } from "../../shell/command.ts";
import { type Check, passed, warned } from "./check.ts";

interface CheckedProject {
  readonly root: string;
  readonly db: Reader;
  readonly loaded: LoadedSettings;
}

/** Checks that the memory that projects share can be used: its last success and error, and what it holds. */
export async function checkHivemind({ root, db, loaded }: CheckedProject): Promise<Check> {
  const check = "hivemind";
  const path = hivemindOf({ root, loaded })?.path ?? null;
  if (path === null) {
    if (loaded.settings.hivemind.store === "off") return passed({ check, detail: "off" });
    const detail = "not used: the configuration that names its file is not approved";
    return warned({ check, detail }, "review with `ralph trust show`, then run `ralph trust approve`");
  }
  const status = await hivemindStatus(db, path);
  const { records, projects, pending, problem } = status;
  const waiting = pending > 0 ? `, ${count(pending, "record")} waiting` : "";
  const health = healthText(status);
  const last = health === "" ? "" : `; ${health}`;
  if (problem !== null) {
    return warned(
      { check, detail: `${problem}${waiting}${last}` },
      "check the file, or set `hivemind: { store: off }`; until then prompts lack what other projects learned",
    );
  }
  const held =
    records === null
      ? `kept by ${status.store}${waiting}${last}`
      : `${count(records ?? 0, "record")} of ${count(projects ?? 0, "project")}${waiting}${last}`;
  if (!failedLast(status)) return passed({ check, detail: held });
  return warned({ check, detail: held }, "run `ralph status` after the next run");
}

/** Checks that `.ralph-context.json` is written: its last success and error, and what it holds. */
export async function checkContext(db: Reader): Promise<Check> {
  const check = "structured context";
  const status = await contextStatus(db);
  const detail = contextText(status) || "not written yet";
  if (!failedLast(status)) return passed({ check, detail });
  return warned({ check, detail }, "make .ralph-context.json a regular file that you may write");
}

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
