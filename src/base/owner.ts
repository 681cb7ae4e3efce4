/**
 * Which process on which machine holds something. The start time and boot id tell a process from a later one
 * with the same pid. `startTime` is opaque and only compared.
 */
export interface Owner {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly host: string;
}
