import type { IsOwnRow } from "../../events/process-rows.ts";
import type { Seal } from "../../store/db.ts";
import { isRecordedCommit } from "../commit/commit-seals.ts";
import { sealedAfter } from "../tree/workspace-state-store.ts";

/**
 * Returns a test for rows that a run wrote which began and ended meanwhile: it seals them. An earlier row that was written again has
 * a seal too, so a finished commit never waits again, and an older state of the tree does not count.
 */
export function rowsOfOtherRun(seal: Seal | null): IsOwnRow {
  return (table, is, was) => {
    if (table !== "workspace_state")
      return (
        isRecordedCommit(seal, is) && !(was && was["finished_at"] !== null && is["finished_at"] === null)
      );
    if (seal === null || seal.keyId === null) return true;
    const now = sealedAfter(seal, is);
    return now !== null && now >= (sealedAfter(seal, was) ?? 0);
  };
}
