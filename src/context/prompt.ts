import type { SafeText } from "../base/safe-text.ts";
import type { VerifyCommand } from "../base/verify-command.ts";
import type { Recalled } from "../memory/port/memory-kind.ts";
import type { Task, TaskStatus } from "../tasks/graph/task.ts";
import type { PromptTemplate } from "./template.ts";

/** A finished task that this one depended on. */
export interface Prerequisite {
  readonly id: string;
  readonly title: string;
  /** Files it changed. */
  readonly files: readonly string[];
  /** Its commit, or `base..hash` for several; null: none. */
  readonly commit: string | null;
}

/** The list in which the task stands. */
export interface ListAround {
  /** The file that the tasks were imported from, relative to the root; null: none. */
  readonly path: string | null;
  /** The words before the list; "" for none. */
  readonly introduction: string;
  /** The nearest tasks beside it, in the order of the list. */
  readonly before: readonly ListedTask[];
  readonly after: readonly ListedTask[];
}

/** A change of OpenSpec. */
export interface OpenSpecChange {
  /** Relative to the root. */
  readonly folder: string;
  /** The text of `proposal.md` and `design.md`, or its beginning; "" for none. */
  readonly proposal: string;
  readonly design: string;
  /** True: it has a folder `specs`. */
  readonly specs: boolean;
}

export interface ListedTask {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
  /** Its commit, or `base..hash` for several; null: none. */
  readonly commit: string | null;
}

/** The unverified changes that an interrupted session left in the tree. */
export interface InterruptedWork {
  /** Why it was interrupted, as a short clause. */
  readonly reason: string;
  /** Commits that its agent made. */
  readonly commits: number;
  readonly changes: readonly {
    readonly path: string;
    readonly kind: "new" | "deleted" | "changed";
    /** Lines; null if they were not counted. */
    readonly added: number | null;
    readonly removed: number | null;
  }[];
}

/** A verification command that fails before the attempt. */
export interface FailedCommand {
  readonly command: string;
  /** `exit code 1`. */
  readonly reason: string;
  /** The relevant part of its output. */
  readonly excerpt: string;
}

/** A person's message for this prompt. */
interface PromptMessage {
  readonly id: string;
  /** Null: for the next task, whichever it is. */
  readonly taskId: string | null;
  readonly text: string;
  readonly createdAt: string;
}

/** The complete input of a prompt, as plain values. */
export interface PromptRequest {
  readonly task: Task;
  readonly attempt: number;
  /** Attempts at the task that may follow this one; null: no limit. */
  readonly attemptsLeft: number | null;
  /** Of the attempt; null: no limit. */
  readonly timeoutMs: number | null;
  /** Milliseconds until the run's deadline; null: it has none. */
  readonly runEndsInMs: number | null;
  /** The project's root. */
  readonly root: string;
  readonly parent: Task | null;
  readonly list: ListAround | null;
  /** In the order in which they were finished. */
  readonly prerequisites: readonly Prerequisite[];
  /** The change that the task is a part of; null: none. */
  readonly change: OpenSpecChange | null;
  /** Text of the specification, if the run has one. */
  readonly spec: string | null;
  /** True: what earlier attempts changed is still in the tree. */
  readonly leftovers: boolean;
  readonly interrupted: InterruptedWork | null;
  readonly failedBefore: FailedCommand | null;
  /** Messages sent since the last prompt, oldest first. */
  readonly messages: readonly PromptMessage[];
  /** The journal that the agent may write; null: none. */
  readonly journal: { readonly path: string; readonly change: string } | null;
  readonly recalled: readonly Recalled[];
  /** The instructions for memory's sigils. */
  readonly instructions: SafeText;
  readonly checks: readonly VerifyCommand[];
  /** The agent's models that `<next-model>` may name. */
  readonly models: readonly string[];
  /** The same seed gives the same fences. Random for each iteration, so that no earlier agent knows the code of a fence. */
  readonly seed: string;
  readonly budget: MemoryBudget;
  /** The order of the sections, and the text around them. */
  readonly template: PromptTemplate;
}

export interface MemoryBudget {
  /** For all memory sections together. */
  readonly chars: number;
  /** Maxima by section name, overriding the built-in ones; 0 turns a section off. */
  readonly sections: Readonly<Record<string, number>>;
}

/** The text, with the items that are in it and those that were dropped. */
export interface Prompt {
  readonly prompt: SafeText;
  readonly sections: readonly PromptSection[];
  readonly dropped: readonly DroppedItem[];
}

export interface PromptSection {
  readonly name: string;
  readonly chars: number;
  /** The memories in it; empty for other sections. */
  readonly items: readonly ShownItem[];
}

export interface ShownItem {
  readonly id: string;
  readonly score: number;
  readonly reason: string;
  /** A short description. */
  readonly label?: string;
  /** The components of its score. */
  readonly parts?: Readonly<Record<string, number>>;
}

export interface DroppedItem {
  readonly section: string;
  readonly id: string;
  readonly reason: string;
  /** True: withheld to measure memory, not dropped for lack of room. */
  readonly withheld?: boolean;
  /** The number of memories, if this stands for several that are not listed one by one. */
  readonly more?: number;
}
