/**
 * The process, and its machine, that holds something. The start time and boot id distinguish a process from a later one
 * with the same pid. `startTime` is opaque; compare it only for equality.
 */
export interface Owner {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly host: string;
}
