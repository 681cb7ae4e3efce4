import type { Owner } from "../../base/owner.ts";

/** Loads process supervision on demand, because few commands need it. */
export async function isOwnerAlive(owner: Owner): Promise<boolean> {
  return (await import("../../agents/supervision.ts")).ownerIsAlive(owner);
}
