import { sha256 } from "../../base/hash.ts";

/** Reports whether an iteration is held out. Draws the share `share` of iterations, reproducibly for a run. */
export function isHeldOut(share: number, runId: string, iteration: number): boolean {
  if (share <= 0) return false;
  const draw = Number.parseInt(sha256(`${runId} ${iteration}`).slice(0, 8), 16) / 2 ** 32;
  return draw < share;
}
