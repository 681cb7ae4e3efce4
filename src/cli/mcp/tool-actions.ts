import type { ToolActions } from "../../mcp/tool.ts";
import { openLearningActions } from "../../memory/learning-actions.ts";
import { openMemoryActions } from "../../memory/memory-actions.ts";
import { openNoteActions } from "../../memory/note-actions.ts";
import { attemptCounts } from "../../outcome/outcome-store.ts";
import { openTaskActions } from "../../tasks/task-actions.ts";
import { beginningOf, currentIteration } from "../project/current-iteration.ts";
import { refuseRecording } from "../project/refuse-recording.ts";
import { currentSession } from "../project/session-name.ts";
import type { Session } from "../shell/command.ts";

/** Opens the project for one call of a tool and closes it afterwards. `agent`: the name recorded with what it stores. */
export async function withToolActions<T>(
  session: Session,
  agent: string | null,
  work: (actions: ToolActions) => Promise<T>,
): Promise<T> {
  const { db, root, close } = await session.openProject();
  try {
    const now = (): Date => session.clock.now();
    const { ownerIsAlive } = await import("../../agents/supervision.ts");
    const iteration = await currentIteration(db);
    const actor = { currentTaskId: iteration?.taskId, isAlive: ownerIsAlive };
    return await work({
      memory: openMemoryActions({ db, now }),
      learnings: openLearningActions({ db, root, now }),
      notes: await openNoteActions({ db, session: await currentSession(db, root, {}), iteration, now }),
      tasks: openTaskActions({
        db,
        root,
        now,
        actor,
        attemptCounts,
        began: await beginningOf(db, iteration),
      }),
      mayRecord: () => refuseRecording({ db, root }),
      iteration,
      agent,
    });
  } finally {
    await close();
  }
}
