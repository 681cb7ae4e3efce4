/** The warnings of a run's attempts in its summary. */
export interface AttemptWarnings {
  /** Warnings of attempts, such as changes to what verification reads. */
  readonly warnings: readonly {
    readonly taskId: string;
    readonly attempt: number;
    readonly text: string;
    /** Further attempts whose commits a hook changed in the same files; absent: none. */
    readonly more?: number;
  }[];
  /** How many warnings of attempts are not in `warnings`. */
  readonly moreWarnings: number;
}

/** The additions of a run to memory, and the help that it gave. */
export interface MemorySummary {
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
export interface ModelRow {
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
  readonly durationMs: number;
}
