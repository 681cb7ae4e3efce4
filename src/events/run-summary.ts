/** The warnings of a run's attempts in its summary. */
interface AttemptWarnings {
  /** Warnings of attempts, such as changes to what verification reads. */
  readonly warnings: readonly {
    readonly taskId: string;
    readonly attempt: number;
    readonly text: string;
    /** Further attempts with the same warning; absent: none. */
    readonly more?: number;
  }[];
  /** How many warnings of attempts are not in `warnings`. */
  readonly moreWarnings: number;
}

export interface CommittedDiff {
  /** The size of an attempt's committed difference, in files and lines; null: nothing was committed. */
  readonly diff: { readonly files: number; readonly added: number; readonly removed: number } | null;
}

/** The additions of a run to memory, and the help that it gave. */
interface MemorySummary {
  readonly captured: readonly { readonly what: string; readonly count: number }[];
  readonly shown?: readonly { readonly what: string; readonly count: number }[];
  /** Context that agents missed and skills that they wished for, in their words. */
  readonly missingContext?: readonly string[];
  readonly wishedSkills?: readonly string[];
  /** Skills that the run proposed and nobody decided on yet. */
  readonly proposals?: readonly { readonly id: string; readonly name: string; readonly kind: string }[];
  readonly helped: readonly { readonly id: string; readonly how: string }[];
}

/** The chance of a model's next attempt to be verified, and its expected cost. */
export type ModelOffer = { readonly model: string; readonly chance: number; readonly usd: number };

/** A task that was given up, why, and what decided. */
export interface GivenUp {
  readonly taskId: string;
  readonly title: string;
  readonly reason: string;
  readonly offers: readonly ModelOffer[];
}

/** The results and costs of one model's attempts. */
interface ModelRow {
  readonly model: string;
  readonly attempts: number;
  /** Verified tasks. */
  readonly done: number;
  /** The sum of the known costs, also of interrupted sessions and of extraction; null: none is known. */
  readonly costUsd: number | null;
  /** The part of `costUsd` that is not measured. */
  readonly estimatedUsd: number;
  /** Attempts without a known cost. */
  readonly unpriced: number;
  /** The part of `costUsd` that was spent on attempts at tasks that are blocked or failed. */
  readonly givenUpUsd: number;
  readonly durationMs: number;
}

type InterruptionCount = { readonly kind: string; readonly times: number; readonly waitedMs: number };

/** Files that left the tree with a task's unfinished work, of the agent and perhaps of a person, and did not return. */
export interface SavedWork {
  readonly taskId: string;
  /** Of the commit that holds them. */
  readonly ref: string;
  readonly files: number;
  /** The first of them. */
  readonly paths: readonly string[];
}

/** The summary of a run (LOOP-17). */
export interface RunReport extends AttemptWarnings {
  readonly attempts: number;
  /** How many of these attempts passed. */
  readonly done: number;
  /** Time of agents and verification, including interrupted iterations. */
  readonly agentMs: number;
  /** Most attempts first. */
  readonly byModel: readonly ModelRow[];
  /** In the order of their first attempt. `done` is the result of the last attempt in this run. */
  readonly tasks: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly attempts: number;
    readonly done: boolean;
    readonly durationMs: number;
  }[];
  /** Tasks that are done without a change, with the agent's reason. */
  readonly unchanged: readonly { readonly taskId: string; readonly why: string }[];
  /** Tasks that were added while it ran and that no list names. */
  readonly added: number;
  readonly saved: readonly SavedWork[];
  /** Iterations that did not count as attempts, by reason. `waitedMs`: from their end until the run continued. */
  readonly interruptions: readonly InterruptionCount[];
  readonly commits: readonly { readonly taskId: string; readonly hash: string; readonly subject: string }[];
  readonly memory: MemorySummary;
}
