import type { Steer } from "../../agents/port/agent.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import type { CleanContent } from "../../workspace/clean-tree.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";

/** What one line of work of a run owns: its tree, and what it knows of it in memory. */
export interface Slot {
  readonly workspace: Workspace;
  /** The work tree of `verifyGuard: clean`, absolute: outside of the project, of no other. */
  readonly cleanFolder: string;
  /** Null: verification runs in the project. */
  readonly clean: CleanVerification | null;
  readonly made: MadeFiles;
  readonly liveMessages: LiveMessages;
}

/**
 * The new files that verification made in this run and nobody committed: a later task may commit or change them, unlike a
 * person's files. In memory only: between two runs a person may have taken them over.
 */
export interface MadeFiles {
  /** Relative to the root. */
  paths(): ReadonlySet<string>;
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

/** Passes the messages of `ralph message --now` to the working agent (AGENT-7). */
export interface LiveMessages {
  /** Answers messages while the run does `work`. */
  during<T>(work: Promise<T>): Promise<T>;
  begin(iteration: LiveIteration): LiveSession;
}
