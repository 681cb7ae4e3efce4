import { removeFolder } from "../../workspace/clean-tree.ts";
import { dropStatusAhead } from "../../workspace/status.ts";
import {
  type GuardedState,
  type Guarding,
  guardState,
  releaseState,
  restoreState,
} from "../guard/guarded-state.ts";
import { readRowsAtWork } from "../guard/rows-at-work.ts";
import type { Loop } from "../loop.ts";
import { takeOutEdits } from "../tree/take-out-edits.ts";
import type { Iteration } from "./begin-iteration.ts";
import { holdLease } from "./lease.ts";
import { type Preflight, preflightAll, verifyCommandsFor } from "./verify-commands.ts";

/** The state before the agent runs, of all that it may not change; and the lease that keeps the task this run's. */
export interface Guarded extends GuardedState {
  /** The verification commands that could not be executed even then. */
  readonly preflight: Preflight;
  /** Aborted when the claim is no longer this run's. */
  readonly leaseLost: AbortSignal;
  /** Ends the lease; the iteration's temporary files are removed beside a later agent, or when the run ends. */
  release(): Promise<void>;
}

/** Takes the lease and notes everything that the agent may not change. The caller releases it when the iteration ends. */
export async function guardIteration(
  loop: Guarding & Pick<Loop, "background" | "env">,
  iteration: Iteration,
): Promise<Guarded> {
  const lease = holdLease(loop, iteration);
  const release = (): void => {
    lease.stop();
    const { tmpDir } = iteration;
    loop.background.postpone(tmpDir, () => removeFolder(loop.workspace, tmpDir));
  };
  try {
    const commands = verifyCommandsFor(loop, iteration);
    const preflight = await preflightAll(loop, commands);
    const state = await guardState(loop, iteration.state.guard);
    // What this agent leaves when ralph is killed is compared with the log up to here, and what ralph wrote since.
    loop.log.head.keep();
    loop.log.head.copyLog();
    const { iterationId } = iteration;
    loop.log.head.setWork({ iterationId, rows: await readRowsAtWork(state.rows, iteration) });
    const guarded: Guarded = {
      ...state,
      preflight,
      leaseLost: lease.leaseLost,
      release: async () => {
        loop.log.head.keep();
        loop.log.head.setWork(null);
        try {
          await releaseState(guarded);
        } finally {
          release();
        }
      },
    };
    return guarded;
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Restores what `restoreState` does, and takes a person's files out of the agent's commits. Returns a warning for each
 * change. May be called repeatedly; it is cheap while no other process writes. With `statusNext` git reads the tree's status
 * meanwhile, for a `statusAhead` that follows.
 */
export async function restoreGuardedState(
  loop: Guarding,
  iteration: Pick<Iteration, "claim" | "state">,
  guarded: Guarded,
  { statusNext = false }: { readonly statusNext?: boolean } = {},
): Promise<readonly string[]> {
  const { claim, state } = iteration;
  const restored = await restoreState(loop, guarded, { claim, wholeLists: true, statusNext });
  const takenOut = await takeOutEdits(loop, state.baseline);
  if (takenOut.length > 0) dropStatusAhead(loop.workspace);
  return [...restored, ...takenOut];
}
