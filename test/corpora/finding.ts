/** A finding of a check. */
export interface Finding {
  readonly passed: boolean;
  /** One line with the numbers. */
  readonly figures: string;
  /** Examples of what went wrong. */
  readonly details: readonly string[];
}
