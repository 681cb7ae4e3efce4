import { record } from "../../events/outbox-store.ts";
import type { Reader } from "../../store/db.ts";
import type { Claim } from "../../tasks/task.ts";
import { guard } from "../../workspace/guard.ts";
import { commit, type Loop } from "../loop.ts";
import { type Guarding, guardState, releaseState, restoreState } from "./guarded-state.ts";
import { readRowsAtWork } from "./rows-at-work.ts";

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
  const endWork = await noteWork(loop, state.rows);
  try {
    return await run();
  } finally {
    try {
      const warnings = await restoreState(loop, state, { claim, wholeLists: false });
      onRestored(warnings.map((warning) => `${warning} (${by} did)`));
    } finally {
      endWork();
      await releaseState(state);
    }
  }
}

/** Notes outside the project what the code must not change, for a recovery if it kills ralph. Returns a function that ends this. */
async function noteWork({ log, runId }: Guarding, rows: Reader): Promise<() => void> {
  const { head } = log;
  // While a hook runs, the iteration is not over.
  const iterationId = head.work();
  const before = head.workRows();
  head.keep();
  head.copyLog();
  const noted = await readRowsAtWork(rows, { runId, iterationId });
  head.setWork({ iterationId: iterationId ?? runId, rows: noted });
  return () => {
    head.keep();
    head.setWork(iterationId === null ? null : { iterationId, rows: before });
  };
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
