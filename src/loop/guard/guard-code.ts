import { record } from "../../events/outbox-store.ts";
import type { Claim } from "../../tasks/task.ts";
import { guard } from "../../workspace/guard.ts";
import { commit, type Loop } from "../loop.ts";
import { type Guarding, guardState, releaseState, restoreState } from "./guarded-state.ts";

interface Code {
  /** The claim that this run holds; null: none. */
  readonly claim: Claim | null;
  /** Who did it, for the warnings: `verification`, `a hook`. */
  readonly by: string;
  /** Called with what was restored, before the call ends. */
  readonly onRestored: (warnings: readonly string[]) => void;
}

/**
 * Runs code of the project that an earlier task's agent may have written, outside of an agent's session: the verification before
 * the first attempt, or a hook. What it changes of the guarded files and rows is restored before ralph runs git or reads a row.
 */
export async function guardCode<T>(
  loop: Guarding,
  { claim, by, onRestored }: Code,
  run: () => Promise<T>,
): Promise<T> {
  const state = await guardState(loop, await guard(loop.workspace));
  try {
    return await run();
  } finally {
    try {
      const warnings = await restoreState(loop, state, { claim, wholeLists: false });
      onRestored(warnings.map((warning) => `${warning} (${by} did)`));
    } finally {
      await releaseState(state);
    }
  }
}

/** Records what was restored, where no attempt's outcome names it. */
export async function reportRestored(
  loop: Pick<Loop, "clock" | "db" | "log"> & { readonly runId: string | null },
  warnings: readonly string[],
): Promise<void> {
  if (warnings.length === 0) return;
  const data = { warnings: [...warnings] };
  const { runId, clock } = loop;
  await commit(loop, (tx) => record(tx, { type: "guard.restored", runId, data }, clock.now()));
}
