import { ownerIsAlive } from "../../agents/supervision.ts";
import type { Reader } from "../../store/port/db.ts";
import { openRuns, type RunRow } from "./run-store.ts";

/** Returns false for a run whose process is certainly gone, or whose machine did not answer for a lease. */
export function runIsAlive({ isSilent, owner }: Pick<RunRow, "isSilent" | "owner">): boolean {
  return !isSilent && ownerIsAlive(owner);
}

/** Returns the active runs: that of this working copy, then those of others. */
export async function liveRuns(q: Reader): Promise<readonly RunRow[]> {
  return (await openRuns(q)).filter(runIsAlive);
}
