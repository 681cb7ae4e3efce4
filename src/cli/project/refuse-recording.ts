import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { isLogOfKey } from "../../events/event-log.ts";
import type { Project } from "../shell/command.ts";
import { currentIteration, isWithoutAgent } from "./current-iteration.ts";
import { hintWithoutAgent } from "./refuse-inside.ts";

/**
 * Refuses to record something for an agent of another project, whose later prompts it would reach; for code that ralph runs while no
 * agent works, as in `ralph verify` or a hook: an agent may have written that code, and no purge of a run would find it; and for one from whom its
 * sandbox hides the project's key: the run would put it back, and the agent would rely on it. Claims of its task are believed
 * without the key, as are the sigils of its final message.
 *
 * @throws RalphError `RALPH_MEMORY_ELSEWHERE`, `RALPH_MEMORY_INSIDE_ITERATION`, `RALPH_MEMORY_SANDBOX`
 */
export async function refuseRecording({ db, root }: Pick<Project, "db" | "root">): Promise<void> {
  // First: a person's process may create the key, and not for a command that is refused.
  const iteration = await currentIteration(db);
  if (iteration === null) return;
  if (iteration.elsewhere) {
    throw new RalphError(
      "RALPH_MEMORY_ELSEWHERE",
      `the agent working on ${iteration.taskId} records nothing in this project, ${root}`,
      { hint: "record it in the project of your task; what this one should know, say in your final message" },
    );
  }
  if (isWithoutAgent(iteration)) {
    throw new RalphError(
      "RALPH_MEMORY_INSIDE_ITERATION",
      "what ralph itself runs, such as a hook of events, or the verification outside of an iteration, records nothing",
      { hint: hintWithoutAgent },
    );
  }
  if (isLogOfKey(join(root, ".ralph", "events.jsonl"), db.seal)) return;
  throw new RalphError(
    "RALPH_MEMORY_SANDBOX",
    "this cannot be recorded from inside the sandbox, which hides the project's key",
    {
      hint: 'state it in your final message: <learning>…</learning>, <note type="tip">…</note> or <memory-used id="l-…" verdict="helpful"/>',
    },
  );
}
