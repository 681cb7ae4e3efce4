import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { isLogOfKey } from "../../events/event-log.ts";
import type { Project } from "../shell/command.ts";
import { currentIteration } from "./current-iteration.ts";

/**
 * Refuses to record something for an agent from whom its sandbox hides the project's key: the run would put it back, and the
 * agent would rely on it. Claims of its task are believed without the key, as are the sigils of its final message.
 *
 * @throws RalphError `RALPH_MEMORY_SANDBOX`
 */
export async function refuseUnsealed({ db, root }: Pick<Project, "db" | "root">): Promise<void> {
  // First: a person's process may create the key, and not for a command that is refused.
  if ((await currentIteration(db)) === null) return;
  if (isLogOfKey(join(root, ".ralph", "events.jsonl"), db.seal)) return;
  throw new RalphError(
    "RALPH_MEMORY_SANDBOX",
    "this cannot be recorded from inside the sandbox, which hides the project's key",
    {
      hint: 'state it in your final message: <learning>…</learning>, <note type="tip">…</note> or <memory-used id="l-…" verdict="helpful"/>',
    },
  );
}
