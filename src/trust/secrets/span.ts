/** A secret found in a text: the part from `start` to `end` is to be replaced. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}
