import type { RedactedText } from "../../base/safe-text.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";

export type TaskStatus = "pending" | "in_progress" | "done" | "blocked" | "failed";
export const taskStatuses: readonly TaskStatus[] = ["pending", "in_progress", "done", "blocked", "failed"];

/** Names of the priorities 0 to 3. */
export const priorityNames: readonly string[] = ["critical", "high", "medium", "low"];

/**
 * The cause of a block, by which a `reset` finds what it reopens: `attempts` (limit reached), `source` (stated in its
 * file), `dependency` (a blocker failed), `child` (a child failed), `person`, `needs` (something is missing).
 */
export type BlockCause = "attempts" | "source" | "dependency" | "child" | "person" | "needs";

export type SourceFormat = "tasks-yaml" | "markdown" | "prd" | "task-master" | "github-issues" | "beads";

/** The content of a task file at a moment. */
export interface ListText {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  readonly format: SourceFormat;
  readonly text: string;
  /** Default UTF-8. */
  readonly encoding?: ListEncoding;
}

export type ListEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** The file entry that a task was imported from. */
export interface TaskSource {
  readonly format: SourceFormat;
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  /** The task's id in the file, or a key derived from its text. */
  readonly key: string;
}

/** A node of the task graph. Times are ISO 8601. Lower `priority` runs first: 0 critical, 1 high, 2 medium, 3 low. */
export interface Task {
  readonly id: string;
  readonly parentId: string | null;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly statusReason: RedactedText | null;
  readonly blockCause: BlockCause | null;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly files: readonly string[];
  readonly acceptance: readonly string[];
  readonly verification: readonly VerifyCommand[];
  /** True: the task may finish without any change to the project. */
  readonly allowNoChange: boolean;
  /** True: the task may begin while the project's verification fails, as one that repairs it does (LOOP-20). */
  readonly allowRed: boolean;
  readonly parallelGroup: number | null;
  readonly commitTemplate: string | null;
  readonly source: TaskSource | null;
  /** Attempts up to this number precede the last reset and no longer count towards the limit. */
  readonly attemptsBefore: number;
  /** Increases with each task: preserves a file's order among tasks created at the same time. */
  readonly position: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The fields that a line of a list shows. The other fields take most of the time of reading 10,000 tasks. */
export type TaskLine = Pick<
  Task,
  "id" | "parentId" | "title" | "status" | "statusReason" | "blockCause" | "priority"
>;

/** The fields that a person or a file may state of a task. */
export interface StatedTask {
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly files?: readonly string[];
  readonly acceptance?: readonly string[];
  readonly verification?: readonly VerifyCommand[];
  readonly allowNoChange?: boolean;
  readonly allowRed?: boolean;
  readonly parallelGroup?: number | null;
  readonly commitTemplate?: string | null;
}

/** The fields of a new task; absent fields have defaults. */
export interface NewTask extends StatedTask {
  readonly id?: string;
  readonly parentId?: string | null;
  readonly title: string;
  readonly description?: string;
  readonly status?: TaskStatus;
  readonly statusReason?: RedactedText | null;
  readonly blockCause?: BlockCause | null;
  readonly source?: TaskSource | null;
}

/** A run's lease on a task. A result is accepted only while `token` is the task's current fencing token. */
export interface Claim {
  readonly taskId: string;
  readonly token: number;
}

/**
 * Returns the file whose entry of the task says that it is blocked: the next look at that file blocks it again, also after a
 * reset. Null for any other task, and for one that its file no longer contains.
 */
export function blockingList(task: Pick<Task, "blockCause" | "source" | "statusReason">): string | null {
  if (task.blockCause !== "source" || task.source === null) return null;
  return task.statusReason === withdrawnFrom(task.source.path) ? null : task.source.path;
}

/** Returns the reason of a task that its file no longer contains. */
export function withdrawnFrom(path: string): string {
  return `no longer in ${path}`;
}
