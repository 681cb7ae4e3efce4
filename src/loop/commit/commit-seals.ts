import type { Seal } from "../../store/db.ts";

/** The sealed columns of a row of `pending_commits`, finished or not. */
export interface CommitRow {
  readonly iterationId: string;
  readonly taskId: string;
  readonly base: string;
  readonly message: string;
  /** The column with the facts, which ends with the seal. */
  readonly paths: string;
}

/** A row of a commit that is not made yet. */
export interface WaitingRow extends CommitRow {
  readonly createdAt: string;
}

/** A row of a commit that was made, or was not needed (`hash` null). */
export interface MadeRow extends CommitRow {
  readonly hash: string | null;
}

/** Returns the seal of a row that is not finished: no event holds it, and an agent could write one with a verdict of its own. */
export function sealOf(
  seal: Seal,
  { iterationId, taskId, base, message, createdAt, paths }: WaitingRow,
): string | null {
  return seal.seal(JSON.stringify(["pending commit", iterationId, taskId, base, message, createdAt, paths]));
}

/** Returns the seal of a finished row: undo reverts what it names. */
export function sealOfMade(seal: Seal, row: MadeRow): string | null {
  const { iterationId, taskId, base, message, hash, paths } = row;
  return seal.seal(JSON.stringify(["finished commit", iterationId, taskId, base, message, hash, paths]));
}

/** Begins the seal in a column. */
export const sealMark = ',"seal":"';

/** Returns the column with the seal at its end; without a key as it is. */
export function withSeal(column: string, code: string | null): string {
  return code ? `${column.slice(0, -1)}${sealMark}${code}"}` : column;
}

/** Reports whether ralph wrote a row. Without a key every row is believed, as every event is. */
export function isSealed<T extends { readonly paths: string }>(
  seal: Seal | null,
  row: T,
  sealOfRow: (seal: Seal, row: T) => string | null,
): boolean {
  if (seal === null || seal.keyId === null) return true;
  const at = row.paths.lastIndexOf(sealMark);
  const code = sealOfRow(seal, { ...row, paths: `${row.paths.slice(0, at)}}` });
  return at > 0 && row.paths.slice(at) === `${sealMark}${code}"}`;
}
