import type { Steer } from "../../agents/port/agent.ts";
import type { Sandbox } from "../../agents/port/confinement.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { CleanContent } from "../../workspace/clean-tree.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import type { OwnedState } from "./workspace-state.ts";

/** The parts of a run that one slot owns, in which one task is worked on at a time: its tree, and what it knows of that in memory. */
export interface Slot {
  /** Where its agents and their verification run: the project's root, or the same folder of its work tree. */
  readonly root: string;
  /** Around agents and verification; null: none. */
  readonly sandbox: Sandbox | null;
  readonly workspace: Workspace;
  readonly tree: Tree;
  /** Null: what it commits is on the run's branch. */
  readonly landing: Landing | null;
  /** The work tree of `verifyGuard: clean`, absolute: outside of the project, of no other. */
  readonly cleanFolder: string;
  /** Null: verification runs in the project. */
  readonly clean: CleanVerification | null;
  readonly byproducts: Byproducts;
}

/** Where a slot's agents work: the project's own tree (`tree/switch-tree-to-task.ts`), or a work tree (`tree/work-tree.ts`). */
export interface Tree {
  /** Makes the tree the task's own: other work leaves it, and what the task left earlier returns. `tip`: where it begins; absent: at the newest. */
  open(task: Task, tip?: string): Promise<TaskTree>;
}

/** How the work of a slot in a work tree reaches the run's branch, which no tree has checked out. */
export interface Landing {
  /** Runs `work` while no other slot lands. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** The run's branch, by its full name. */
  readonly branch: string;
  /** Returns the newest commit of the branch. */
  tip(): Promise<string>;
  /** Moves the branch from `tip` to a commit that follows it. False: the branch is elsewhere now. */
  swap(hash: string, tip: string): Promise<boolean>;
  /** The saved work of tasks for other machines; null: the branch is of this clone alone. */
  readonly shared: SharedRefs | null;
}

/** Refs of saved work at the remote, under the names that they have here. What fails is left. */
interface SharedRefs {
  push(ref: string): Promise<void>;
  /** False: the remote does not have it. */
  fetch(ref: string): Promise<boolean>;
  drop(ref: string): Promise<void>;
}

/** The tree as the task finds it. */
export interface TaskTree {
  /** The state that the iteration begins with. It is stored when the iteration begins. */
  readonly state: OwnedState;
  /** A name for the changes that the task's earlier attempts left, from `changesSince`. */
  readonly changes: string;
  /** The ref of the task's saved work and the files in which it conflicts with later commits: none of it returned. Null: it returned. */
  readonly conflict: { readonly ref: string; readonly paths: readonly string[] } | null;
}

/** The state before an agent of what it may not rewrite. */
export interface TreeGuard {
  /** A warning for each thing that was put back so far. */
  readonly restored: readonly string[];
  /**
   * Puts back what an agent, or the code that it wrote, may not rewrite, and takes a person's files out of its commits. Returns a
   * warning for each. With `statusNext` git reads the tree's status meanwhile, for a `statusAhead` that follows.
   */
  restore(options?: { readonly statusNext?: boolean }): Promise<readonly string[]>;
}

/**
 * The new files that verification made in this run and nobody committed: a later task may commit or change them, unlike a
 * person's files. In memory only: between two runs a person may have taken them over.
 */
export interface Byproducts {
  /** Relative to the root. */
  paths(): ReadonlySet<string>;
  /**
   * The untracked paths that verification of this run wrote, without any agent: no commit holds them as the agent's work, and no warning
   * names them as a person's, though they may be.
   */
  readonly written: Set<string>;
  /** Ignores large files, and all when they become many. */
  add(paths: readonly string[]): void;
}

/** Where commands run. */
interface VerificationPlace {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** The setup commands that ran until one failed; empty: the place is ready. */
  readonly failedSetup: readonly CheckResult[];
}

interface CleanRequest {
  readonly content: CleanContent;
  /** By which the processes that a setup command leaves running are found and killed. */
  readonly marker: string;
  readonly tmpDir: string;
  readonly onStart?: (command: string) => void;
  readonly onEnd?: (result: CheckResult) => void;
}

/** The separate work tree of `verifyGuard: clean` (LOOP-18). */
export interface CleanVerification {
  /**
   * Makes the tree hold exactly this content and what the setup commands made. These run the first time, and again when a
   * lock file or manifest changed.
   */
  prepare(request: CleanRequest): Promise<VerificationPlace>;
  /** Removes the tree. */
  remove(): Promise<void>;
}

/** The iteration whose agent works. */
export interface LiveIteration {
  readonly iterationId: string;
  readonly taskId: string;
  readonly agent: string;
}

/** A session that may take messages. */
interface LiveSession {
  /** The agent runs; `steer`: how it takes messages, null: not at all. Messages wait until this is called. */
  ready(steer: Steer | null): void;
  /** The agent ended: what it has not read goes to the next iteration. Resolves when that is recorded. */
  end(): Promise<void>;
}

/** Passes the messages of `ralph message --now` to the working agents (AGENT-7). */
export interface LiveMessages {
  /** Answers messages while the run does `work`. */
  during<T>(work: Promise<T>): Promise<T>;
  begin(iteration: LiveIteration): LiveSession;
}
