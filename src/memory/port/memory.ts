import type { Pacer } from "../../base/clock.ts";
import type { SafeText } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Db, Tx } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { Journal, Journals } from "./journal.ts";
import type { MemoryChoice, Recalled, RecallRequest, RunEnding, ShownMemory } from "./memory-kind.ts";

/** The journals of agents. Nothing that is wrong with one stops a run: its agent then has none. */
export interface AgentJournals {
  /** Returns the journal that the task's agent may read and write; null: memory is off, or it cannot be used. Only reads. */
  journalOf(task: Task): Promise<Journal | null>;
  /** Creates the journal if it is missing, and returns it; null when it cannot be used. */
  createJournal(journal: Journal | null): Promise<Journal | null>;
}

/** The memory of a project: everything that outlives an iteration. An error here never breaks the loop: it becomes a `memory.failed` event. */
export interface Memory extends AgentJournals {
  /** Stores what the outcome teaches; each kind uses a savepoint within `tx`. */
  capture(tx: Tx, outcome: Outcome, now: Date): Promise<void>;
  /** Stores what a model extracted from the session's log, given as the learnings of `outcome`. */
  captureExtracted(tx: Tx, outcome: Outcome, now: Date): Promise<void>;
  /** Takes back what was stored elsewhere of a task's work that a person undid; `finishCapture` does the rest. */
  withdraw(tx: Tx, taskId: string, now: Date): Promise<void>;
  /** Writes what captures left to write outside their transactions, such as record files. Call it while the loop waits. */
  finishCapture(end?: RunEnding): Promise<void>;
  /** Returns what the next prompt should contain, without kinds that fail or take too long. Only reads. */
  recall(request: RecallRequest): Promise<readonly Recalled[]>;
  /** Searches for what the next prompt of `task` needs, while the loop waits. Never throws. */
  prefetch(task: Task): Promise<void>;
  /** Returns the question to a model which memories the next prompt of `task` needs; null: there is none to ask. Never throws. */
  askWhich(task: Task): Promise<MemoryChoice | null>;
  /** Returns the sigils that memory reads, as text for a prompt with these sections. */
  instructions(recalled: readonly Recalled[]): Promise<SafeText>;
  /** The journals, for people; null: the project has none. */
  readonly journals: Journals | null;
  /** Records what the prompt of a new iteration shows; each kind uses a savepoint. */
  recordShown(tx: Tx, shown: ShownMemory, now: Date): Promise<void>;
  /**
   * Marks stale memory, merges similar learnings and archives old ones, within limits; in slices with a pacer. Never
   * throws.
   */
  maintain(db: Db, runId: string, pacer?: Pacer): Promise<void>;
  /** Gives the new paths of renamed files to what cites them; `renamedPaths` returns where missing files are now. Never throws. */
  followRenames(
    runId: string,
    renamedPaths: (missing: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  ): Promise<void>;
}
