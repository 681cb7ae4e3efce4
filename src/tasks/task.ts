import type { VerifyCommand } from "../base/verify-command.ts";

export type TaskStatus = "pending" | "in_progress" | "done" | "blocked" | "failed";
export const taskStatuses: readonly TaskStatus[] = ["pending", "in_progress", "done", "blocked", "failed"];

/** By number, from the first to go. */
export const priorityNames: readonly string[] = ["critical", "high", "medium", "low"];

/**
 * Why a task is blocked, so that `reset` of one thing reopens what it closed: `attempts` (the cap), `source` (its
 * file says so), `dependency` (a blocker failed), `child` (a child failed), `person`, `needs` (something is missing).
 */
export type BlockCause = "attempts" | "source" | "dependency" | "child" | "person" | "needs";

export type SourceFormat = "tasks-yaml" | "markdown" | "prd" | "github-issues" | "beads";

/** Where a task came from and how to find it there again. */
export interface TaskSource {
  readonly format: SourceFormat;
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  /** The task's own id in the file, or what stands for it. */
  readonly key: string;
}

/** One node of the graph. Times are ISO 8601. Lower `priority` goes first: 0 critical, 1 high, 2 medium, 3 low. */
export interface Task {
  readonly id: string;
  readonly parentId: string | null;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly statusReason: string | null;
  readonly blockCause: BlockCause | null;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly files: readonly string[];
  readonly acceptance: readonly string[];
  readonly verification: readonly VerifyCommand[];
  /** True: done without any change to the project is fine. */
  readonly allowNoChange: boolean;
  readonly parallelGroup: number | null;
  readonly commitTemplate: string | null;
  readonly source: TaskSource | null;
  /** Attempts up to this number were before the last reset and count no more towards the cap. */
  readonly attemptsBefore: number;
  /** Rises with creation: keeps a file's order among tasks of one instant. */
  readonly position: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** As much of a task as a line of a list shows: of 10,000 tasks all else takes most of the time of reading them. */
export type TaskLine = Pick<
  Task,
  "id" | "parentId" | "title" | "status" | "statusReason" | "blockCause" | "priority"
>;

/** What creating a task needs; all else has defaults. */
export interface NewTask {
  readonly id?: string;
  readonly parentId?: string | null;
  readonly title: string;
  readonly description?: string;
  readonly status?: TaskStatus;
  readonly statusReason?: string | null;
  readonly blockCause?: BlockCause | null;
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly files?: readonly string[];
  readonly acceptance?: readonly string[];
  readonly verification?: readonly VerifyCommand[];
  readonly allowNoChange?: boolean;
  readonly parallelGroup?: number | null;
  readonly commitTemplate?: string | null;
  readonly source?: TaskSource | null;
}

/** A run's hold on a task. A result is accepted only under the token that is still the task's. */
export interface Claim {
  readonly taskId: string;
  readonly token: number;
}
