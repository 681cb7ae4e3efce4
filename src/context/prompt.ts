import type { VerifyCommand } from "../base/verify-command.ts";
import type { Recalled } from "../memory/memory-kind.ts";
import type { Task } from "../tasks/task.ts";
import type { PromptTemplate } from "./template.ts";

/** A finished task that this one waited for. */
export interface Prerequisite {
  readonly id: string;
  readonly title: string;
  /** Files it changed. */
  readonly files: readonly string[];
  readonly commit: string | null;
}

/** What an interrupted session left in the tree: nothing verified it. */
export interface InterruptedWork {
  /** Why it was interrupted, as a short clause. */
  readonly reason: string;
  /** Commits that its agent made. */
  readonly commits: number;
  readonly changes: readonly {
    readonly path: string;
    readonly kind: "new" | "deleted" | "changed";
    /** Lines; null where they were not counted. */
    readonly added: number | null;
    readonly removed: number | null;
  }[];
}

/** All that a prompt is made of, as plain values. */
/** A person's message for this prompt. */
interface PromptMessage {
  readonly id: string;
  /** Null: for whatever task is next. */
  readonly taskId: string | null;
  readonly text: string;
  readonly createdAt: string;
}

export interface PromptRequest {
  readonly task: Task;
  readonly attempt: number;
  /** The project's root. */
  readonly root: string;
  readonly parent: Task | null;
  /** In the order in which they were finished. */
  readonly prerequisites: readonly Prerequisite[];
  /** Text of the specification, if the run has one. */
  readonly spec: string | null;
  /** True: what earlier attempts changed is still in the tree. */
  readonly leftovers: boolean;
  readonly interrupted: InterruptedWork | null;
  /** What a person has said since the last prompt, oldest first. */
  readonly messages: readonly PromptMessage[];
  readonly recalled: readonly Recalled[];
  /** Memory's sigils. */
  readonly instructions: string;
  readonly checks: readonly VerifyCommand[];
  /** The agent's models: what `<next-model>` may name. */
  readonly models: readonly string[];
  /** The same seed gives the same fences; one of its own for each run and attempt. */
  readonly seed: string;
  readonly budget: MemoryBudget;
  /** The order of the sections, and what stands around them. */
  readonly template: PromptTemplate;
}

export interface MemoryBudget {
  /** For all memory sections together. */
  readonly chars: number;
  /** Ceilings by section name, over the built-in ones; 0 turns a section off. */
  readonly sections: Readonly<Record<string, number>>;
}

/** The text, and what became of everything that wanted to be in it. */
export interface Prompt {
  readonly prompt: string;
  readonly sections: readonly PromptSection[];
  readonly dropped: readonly DroppedItem[];
}

export interface PromptSection {
  readonly name: string;
  readonly chars: number;
  /** Memories in it, none in sections of other things. */
  readonly items: readonly ShownItem[];
}

export interface ShownItem {
  readonly id: string;
  readonly score: number;
  readonly reason: string;
  /** What it says, in a few words. */
  readonly label?: string;
  /** What its score is made of. */
  readonly parts?: Readonly<Record<string, number>>;
}

export interface DroppedItem {
  readonly section: string;
  readonly id: string;
  readonly reason: string;
  /** Kept back to measure memory, not for want of room. */
  readonly withheld?: boolean;
  /** Not one memory but so many, which nobody needs one by one. */
  readonly more?: number;
}
