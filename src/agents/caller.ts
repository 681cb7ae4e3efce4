import * as caller from "../process/caller.ts";

/** The open iterations of one run, as far as they identify its processes. */
export type OpenWork = caller.OpenWork;

/** Decides whether this process was started by an open iteration of that run; the rules are in `process/caller.ts`. */
export async function isInside(work: OpenWork): Promise<boolean> {
  return await caller.isInside(work);
}

/** As `isInside`, but only by what holds for every iteration of the run, whatever its store says. */
export async function isCertainlyInside(work: Omit<OpenWork, "markers">): Promise<boolean> {
  return await caller.isCertainlyInside(work);
}

/** Returns true if this process has a controlling terminal that no process of the open work holds. */
export async function hasOwnTerminal(works: readonly OpenWork[]): Promise<boolean> {
  return await caller.hasOwnTerminal(works);
}

/** Returns true if the run is gone and certainly did not leave this process. */
export async function isClearOfGoneRun(work: OpenWork): Promise<boolean> {
  return await caller.isClearOfGoneRun(work);
}

/** Returns true if this process was started by an iteration, a verification or a hook of ralph's, also where no run is to be seen. */
export function isMarkedCaller(): boolean {
  return caller.isMarkedCaller();
}
