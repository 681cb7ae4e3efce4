/** The warnings of a run's attempts in its summary. */
export interface AttemptWarnings {
  /** Warnings of attempts, such as changes to what verification reads; absent in logs of earlier versions. */
  readonly warnings?: readonly {
    readonly taskId: string;
    readonly attempt: number;
    readonly text: string;
    /** Further attempts whose commits a hook changed in the same files; absent: none. */
    readonly more?: number;
  }[];
  /** How many warnings of attempts are not in `warnings`; absent in logs of earlier versions. */
  readonly moreWarnings?: number;
}
