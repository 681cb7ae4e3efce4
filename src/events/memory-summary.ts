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
