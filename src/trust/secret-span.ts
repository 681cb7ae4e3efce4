/** A secret in a text, to be replaced from `start` to `end`. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}
