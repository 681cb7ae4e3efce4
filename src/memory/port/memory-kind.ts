import type { AttemptRef } from "../../base/attempt-ref.ts";
import type { Pacer } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RedactedText, SafeText } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Db, Reader, Tx } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { HivemindSettings } from "./hivemind-settings.ts";
import type { Journals } from "./journal.ts";
import type { KindPurge, KindStatistics, PruneRequest } from "./kind-commands.ts";
import type { SkillSettings } from "./skill-settings.ts";

/** One memory that a prompt may contain. */
export interface MemoryItem {
  /** The name in `--explain` and events: `failure t-1#2`, `l-3fa9c1`. */
  readonly id: string;
  readonly text: SafeText;
  /** One line to use when the whole text does not fit; "" for none. */
  readonly short: SafeText;
  /** Shortens the text to at most `room` characters, keeping the most useful part; "" if the room is too small. */
  readonly fit?: (room: number) => SafeText;
  /**
   * Names the parts that `fit(room)` leaves out, for an item that stands for several memories. `reason` describes the part;
   * the prompt adds why it was dropped.
   */
  readonly leftOut?: (room: number) => readonly LeftOut[];
  readonly score: number;
  readonly reason: string;
  /** A short label for `--explain`. */
  readonly label?: string;
  /** The parts of the score. */
  readonly parts?: Readonly<Record<string, number>>;
}

/** A candidate that was left out before the budget was spent, and why. */
export interface LeftOut {
  readonly id: string;
  readonly reason: string;
  /** The number of memories that this entry stands for, if more than one. */
  readonly more?: number;
  /** True: left out to measure its effect. */
  readonly withheld?: boolean;
}

/** A kind's contribution to one section of the prompt. */
export interface Recalled {
  /** The prompt section: `attempts`, `notes`, `learnings`, … */
  readonly section: string;
  readonly heading: SafeText;
  /** Text before the items, never shortened. */
  readonly lead: SafeText;
  /** In reading order. */
  readonly items: readonly MemoryItem[];
  /** True: the items are free text that agents wrote. The prompt shows them as data, inside a fence that they cannot close. */
  readonly isFenced?: boolean;
  /** Text after the items, always included (the last retry suggestion); "" for none. */
  readonly tail: SafeText;
  /**
   * Which items are dropped first when room is short. `never`: the text is cut instead. `detail`: as many one-line
   * forms as fit, best first, then whole texts where room is left.
   */
  readonly drop: "oldest" | "last" | "never" | "detail";
  readonly leftOut?: readonly LeftOut[];
  /** Set: the prompt contains nothing of it, for this reason; the items are only reported. */
  readonly withheld?: string;
}

export interface RecallRequest extends Pick<AttemptRef, "attempt" | "runId"> {
  readonly task: Task;
  readonly iteration: number;
  /** Of the prompt's fences: nobody who wrote a memory knows it. */
  readonly seed: string;
  /** The folder, relative to the project, whose skills the agent lists and loads by itself; absent or null: none. */
  readonly listsSkills?: string | null;
}

/** The change that a proposal makes to a project's skills. */
export type ProposalKind = "create" | "change" | "retire";

/** The memory that one run stored, the memory that its prompts showed, and the memory that helped it. */
export interface RunLearned {
  /** The number of captured memories by name: `failure report`, `learning`. */
  readonly captured: readonly { readonly what: string; readonly count: number }[];
  /** The number of different memories in its prompts by name; absent: the kind does not count them. */
  readonly shown?: readonly { readonly what: string; readonly count: number }[];
  /** Context and skills that its agents lacked, in their words; absent: the kind does not keep them. */
  readonly missingContext?: readonly string[];
  readonly wishedSkills?: readonly string[];
  /** The skills that it proposed and nobody decided on yet. */
  readonly proposals?: readonly { readonly id: string; readonly name: string; readonly kind: ProposalKind }[];
  /** Memories that helped: by an agent's verdict on a verified success, or by an error that was gone afterwards. */
  readonly helped: readonly { readonly id: string; readonly how: string }[];
}

/** The memory that a built prompt shows. */
export interface ShownMemory extends AttemptRef {
  readonly model: string;
  /** The whole prompt. */
  readonly prompt: string;
  readonly items: readonly { readonly section: string; readonly id: string; readonly score: number }[];
  /** The memory that a hold-out withheld, by section. */
  readonly withheld: readonly { readonly section: string; readonly id: string }[];
}

/** The resources of a kind while the project's memory is open. */
export interface KindSetup {
  /** The project's folder: learnings cite its files. */
  readonly root: string;
  readonly now: () => Date;
  /** Maximum number of learnings in a prompt. */
  readonly maxLearnings: number;
  /** Share of iterations without learnings, to measure their effect. */
  readonly holdout: number;
  /** True: a model chooses learnings where it answered in time (LEARN-16). */
  readonly asksAgent?: boolean;
  /** The memory that projects share; null: it is not used. */
  readonly hivemind: HivemindSettings | null;
  /** Where skills are; null: prompts contain none. */
  readonly skills: SkillSettings | null;
  /** The number of verified tasks after which records are aggregated. */
  readonly aggregateEvery: number;
  /** Asks a model to rewrite a drafted skill; null: the template's words stand. */
  readonly synthesize: Synthesize | null;
  /** True: the structured context is written to `.ralph-context.json` and shown in prompts. */
  readonly writesContext: boolean;
  /** Null: the project has none. */
  readonly journals: Journals | null;
  /** The named session of notes. */
  readonly session: RedactedText;
  /** The folder of record files, relative to `root`; null: none is written. */
  readonly recordsDir: string | null;
  /** Reports a problem that does not prevent the kind from working, once per step. */
  readonly onTrouble: (step: string, why: string) => void;
}

/** A question to a model which memories a task needs (LEARN-16). */
export interface MemoryChoice {
  readonly prompt: SafeText;
  /** Returns the data of the event `learning.selected`, by which later prompts find the choice; `chosen` null: words decide. */
  read(answer: string): JsonObject;
}

/** Asks a model until `signal` is aborted. Returns its answer, or null when it must not be asked. Throws when it fails. */
export type Synthesize = (prompt: SafeText, signal: AbortSignal) => Promise<string | null>;

/** The end of a run, where no agent waits: work may take until `signal` is aborted. */
export interface RunEnding {
  readonly signal: AbortSignal;
}

/** A judged attempt with its task; undefined: the task was removed meanwhile. */
export interface Captured {
  readonly outcome: Outcome;
  readonly task: Task | undefined;
}

/** A kind that captures and recalls, opened for one process. */
export interface OpenedKind {
  readonly name: string;
  /** The sigils that the kind reads, each a list line (`- …`) of the prompt; "" for none. */
  readonly instructions: SafeText | ((recalled: readonly Recalled[]) => SafeText);
  /** Stores what the outcome teaches, in the transaction that records the outcome. */
  capture(tx: Tx, captured: Captured, now: Date): Promise<void>;
  /** Stores what a model extracted from the session's log, given as the learnings of a captured outcome. */
  captureExtracted?(tx: Tx, captured: Captured, now: Date): Promise<void>;
  /** Does what captures left to do outside their transactions, such as writing files. */
  finishCapture?(db: Db, end?: RunEnding): Promise<void>;
  /** Returns what the next prompt should contain. No line of it can pass for one of the prompt's own. Only reads. */
  recall(db: Reader, request: RecallRequest): Promise<readonly Recalled[]>;
  /** Searches for what the task's next prompt needs; `recall` uses the result if nothing was written since. */
  prefetch?(db: Reader, task: Task): Promise<void>;
  /** Returns the question which of its memories the task needs; null: there is none to ask. Only reads. */
  askWhich?(db: Reader, task: Task): Promise<MemoryChoice | null>;
  /** Records what a prompt showed, in the transaction that begins the iteration. */
  recordShown?(tx: Tx, shown: ShownMemory, now: Date): Promise<void>;
}

export interface MaintenanceRequest extends PruneRequest {
  readonly root: string;
  /** Number of active learnings above which they are merged; 0: never. */
  readonly summarizeAbove: number;
  /** Returns a task's difficulty estimate, or `unknown`. */
  readonly difficultyOf: (q: Reader, taskId: string) => Promise<string>;
  /** Present when the maintenance runs beside other work: steps pause between short pieces of work. */
  readonly pacer?: Pacer | undefined;
}

/** One bounded step of maintenance. A step that throws is reported; the others still run. */
export interface MaintenanceStep {
  readonly step: string;
  run(request: MaintenanceRequest): Promise<void>;
}

/** One memory kind: a folder, a line in `kinds.ts`, a migration (docs/adding/memory-kind.md). */
export interface MemoryKind {
  readonly name: string;
  open(setup: KindSetup): OpenedKind;
  readonly maintenance?: readonly MaintenanceStep[];
  /** Returns what a run learned and which memory helped it, for its summary. Only reads. */
  readonly report?: (q: Reader, runId: string) => Promise<RunLearned>;
  /** Counts what is stored. */
  statistics?(q: Reader): Promise<KindStatistics>;
  readonly purge?: KindPurge;
}
