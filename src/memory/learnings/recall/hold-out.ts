import { sha256 } from "../../../base/hash.ts";

/** Whether an iteration is held out: a share `share` of them, always the same ones of a run. */
export function isHeldOut(share: number, runId: string, iteration: number): boolean {
  if (share <= 0) return false;
  const draw = Number.parseInt(sha256(`${runId} ${iteration}`).slice(0, 8), 16) / 2 ** 32;
  return draw < share;
}
