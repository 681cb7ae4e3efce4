import { nameSome } from "../base/text.ts";
import type { Claims, WorkDone } from "./outcome.ts";

/** Returns true if the agent says why nothing needs to change, and nothing did: verification decides (LOOP-4). */
export function explainsNoChange(
  { noChangeNeeded }: Claims,
  { usersFiles, inSubmodules = [], leftOut = [] }: WorkDone,
): boolean {
  const uncommitted = usersFiles.length + inSubmodules.length + leftOut.length;
  return noChangeNeeded !== null && uncommitted === 0;
}

/** Returns why an attempt without a change fails. */
export function noChange(
  { usersFiles, inSubmodules = [], leftOut = [] }: WorkDone,
  claimed: boolean,
): string {
  const but = claimed ? "the agent claimed completion, but " : "";
  if (usersFiles.length > 0) return `${but}only uncommitted files of yours have changed`;
  if (leftOut.length > 0) return `${but}only ${nameSome(leftOut)} changed, which no commit of ralph holds`;
  if (inSubmodules.length === 0)
    return `${but}nothing in the project has changed, and no <no-change-needed> says why`;
  const files = nameSome(inSubmodules);
  return `${but}only files in submodules have changed (${files}): a commit of the project holds them only once they are committed in their submodule`;
}
