import { join } from "node:path";
import type { Reader } from "../../store/port/db.ts";
import { slug } from "../../trust/safe-name.ts";
import { type UseResult, useResult } from "../port/health-store.ts";
import { type Journal, type JournalSettings, type Journals, journalEnding } from "../port/journal.ts";
import { findChange, openSpecChanges } from "./find-change.ts";
import { checkJournal, createJournal, readJournal, resetJournal } from "./journal-file.ts";

/** An agent can give the file any size, also without writing that much. */
const readableBytes = 16 * 1024 * 1024;

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
