import { join } from "node:path";
import type { Reader } from "../../store/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { slug } from "../../trust/safe-name.ts";
import { type UseResult, useResult } from "../measure/health-store.ts";
import { findChange, openSpecChanges } from "./find-change.ts";
import { type Journal, type JournalSettings, type JournalText, journalEnding } from "./journal.ts";
import { checkJournal, createJournal, readJournal, resetJournal } from "./journal-file.ts";

/** An agent can give the file any size, also without writing that much. */
const readableBytes = 16 * 1024 * 1024;

/** The journals of a project. Every method throws a RalphError when a link or another file is in a journal's place. */
export interface Journals {
  /** Returns the journal of the task's change. The file need not exist. */
  of(task: Task | null): Promise<Journal>;
  /** Returns the journal of a change by name. */
  named(change: string): Journal;
  /** Checks that agents may use it. */
  check(journal: Journal): Promise<void>;
  /** Creates it with a guiding comment if it is missing. */
  create(journal: Journal): Promise<void>;
  /** Returns its last `maxBytes`, by default more than a person reads; null when it does not exist. */
  read(journal: Journal, maxBytes?: number): JournalText | null;
  /** Replaces it by its guiding comment. */
  reset(journal: Journal): Promise<void>;
  /** Returns how the last check or creation ended, once; undefined: there was none since. */
  takeResult(): UseResult | undefined;
}

/**
 * Opens the journals over the store, which knows the tasks' lists. The OpenSpec changes are those of now: a folder that an
 * agent adds during the run must not divert the journal of later iterations.
 */
export function openJournals(db: Reader, settings: JournalSettings): Journals {
  const named = (change: string): Journal => ({
    change,
    folder: settings.folder,
    path: join(settings.folder, `${slug(change)}${journalEnding}`),
  });
  const changes = settings.change === null ? openSpecChanges(settings.root) : [];
  let result: UseResult | undefined;
  const recording = async (use: () => void | Promise<void>): Promise<void> => {
    try {
      await use();
      result = useResult(null);
    } catch (error) {
      result = useResult(error);
      throw error;
    }
  };
  return {
    of: async (task) => named(settings.change ?? (await findChange(db, changes, task))),
    named,
    check: (journal) => recording(() => checkJournal(journal, settings)),
    create: (journal) => recording(() => createJournal(journal, settings)),
    read: (journal, maxBytes = readableBytes) => readJournal(journal, settings, maxBytes),
    reset: (journal) => resetJournal(journal, settings),
    takeResult: () => {
      const taken = result;
      result = undefined;
      return taken;
    },
  };
}
