import type { Outcome } from "../outcome/outcome.ts";
import type { Reader, Tx } from "../store/db.ts";
import type { Task } from "../tasks/task.ts";

/** One thing that memory wants in a prompt. */
export interface MemoryItem {
  /** `failure t-1#2`, `l-3fa9c1`: what `--explain` and events call it. */
  readonly id: string;
  readonly text: string;
  /** A one-line stand-in for when the whole does not fit; "" when there is none. */
  readonly short: string;
  /** The text cut to at most `room` characters, the telling part kept; "" when that is too little to tell anything. */
  readonly fit?: (room: number) => string;
  readonly score: number;
  readonly reason: string;
  /** What it says in a few words, for `--explain`. */
  readonly label?: string;
  /** What its score is made of. */
  readonly parts?: Readonly<Record<string, number>>;
}

/** What was looked at and left out before any budget was spent, and why. */
export interface LeftOut {
  readonly id: string;
  readonly reason: string;
  /** Not one memory but so many, which nobody needs one by one. */
  readonly more?: number;
}

/** What a kind recalls for one section of the prompt. */
export interface Recalled {
  /** The section it belongs to: `attempts`, `stuck`, `status`, … */
  readonly section: string;
  readonly heading: string;
  /** Stands before the items, always whole. */
  readonly lead: string;
  /** In the order in which they are to be read. */
  readonly items: readonly MemoryItem[];
  /** Stands after the items and always fits (the last retry suggestion); "" when there is none. */
  readonly tail: string;
  /**
   * Which items go first when room is short; `never`: what does not fit is cut off rather than left out; `detail`:
   * first as many one-line forms as fit, best first, then whole texts where room is left.
   */
  readonly drop: "oldest" | "last" | "never" | "detail";
  readonly leftOut?: readonly LeftOut[];
  /** Set: nothing of it may stand in the prompt, for this reason; it is only told what would have. */
  readonly withheld?: string;
}

export interface RecallRequest {
  readonly task: Task;
  readonly attempt: number;
  readonly runId: string;
  readonly iteration: number;
}

/** What one run left in memory and had of it. */
export interface RunLearned {
  /** How much was captured, by what it is called: `failure report`, `learning`. */
  readonly captured: readonly { readonly what: string; readonly count: number }[];
  /** Memories that helped, each with how: by the outcome that followed, not by anybody's word. */
  readonly helped: readonly { readonly id: string; readonly how: string }[];
}

/** What became of what memory recalled, once the prompt was built. */
export interface ShownMemory {
  readonly iterationId: string;
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly model: string;
  /** The whole prompt. */
  readonly prompt: string;
  readonly items: readonly { readonly section: string; readonly id: string; readonly score: number }[];
  /** What a hold-out kept back, by section. */
  readonly withheld: readonly { readonly section: string; readonly id: string }[];
}

/** Memory kinds are equals: a folder, a line in `memory.ts`, a migration. */
export interface MemoryKind {
  readonly name: string;
  /** The sigils it listens to, as the prompt tells them to the agent; "" when none. */
  readonly instructions: string | ((recalled: readonly Recalled[]) => string);
  /** Writes what the outcome teaches, in the transaction that records the outcome. */
  capture(tx: Tx, outcome: Outcome, now: Date): Promise<void>;
  /** Writes what a model made of the session's log, given as the learnings of an outcome that was captured before. */
  captureExtracted?(tx: Tx, outcome: Outcome, now: Date): Promise<void>;
  /** What the next prompt should know, safe to print as it is: no line of it can pass for one of the prompt's own. Reads only. */
  recall(db: Reader, request: RecallRequest): Promise<readonly Recalled[]>;
  /** Looks ahead for what the next prompt of this task will ask for; `recall` uses it if nothing was written since. */
  prefetch?(db: Reader, task: Task): Promise<void>;
  /** What a run learned and which memory helped it, for its summary. Reads only. */
  report?(db: Reader, runId: string): Promise<RunLearned>;
  /** Writes down what a prompt showed, in the transaction that begins the iteration. */
  recordShown?(tx: Tx, shown: ShownMemory, now: Date): Promise<void>;
}
