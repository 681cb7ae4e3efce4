import { keepOverwritten } from "../../workspace/protect-paths.ts";
import type { Loop } from "../rows/loop.ts";
import { type OwnedState, setOverwritten } from "../rows/workspace-state.ts";

/**
 * Adds the person's files that the owning task's agent overwrote to the state, so that the next baseline does not take the
 * agent's version for the person's (LOOP-9).
 */
export async function withOverwritten<S extends OwnedState>(
  { workspace }: Pick<Loop, "workspace">,
  state: S,
): Promise<S> {
  return setOverwritten(state, await keepOverwritten(workspace, state.baseline, state.overwritten ?? []));
}
