import type { Task } from "../../tasks/graph/task.ts";
import type { UseResult } from "./health-store.ts";

/** How the names of journals end. */
export const journalEnding = "-learnings.md";

/** Where the journals of a project are. */
export interface JournalSettings {
  /** The project's root, which no journal may be in: an agent's words would count as its work. */
  readonly root: string;
  /** The folder of all projects' journals. Links above it are the user's own; below it none is followed. */
  readonly base: string;
  /** The folder of this project's journals, below `base`. Nothing else is kept in it, because agents may write there. */
  readonly folder: string;
  /** The change that the user named; null: that of the task. */
  readonly change: string | null;
}

/** The journal of one change: a Markdown file that belongs to its agents and to people (JOURNAL-1). */
export interface Journal {
  /** The name of the change, as OpenSpec or the user writes it. */
  readonly change: string;
  /** The folder that agents are allowed to write. */
  readonly folder: string;
  readonly path: string;
}

/** The end of a journal. */
export interface JournalText {
  readonly text: string;
  /** Size of the file. */
  readonly bytes: number;
  /** False: `text` lacks the beginning. */
  readonly isWhole: boolean;
}

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
  /** Returns how the last check or creation ended, once; undefined: there was none since. */
  takeResult(): UseResult | undefined;
}
