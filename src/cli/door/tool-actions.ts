import type { ToolActions } from "../../mcp/tool.ts";
import { openLearningActions } from "../../memory/learning-actions.ts";
import { openMemoryActions } from "../../memory/memory-actions.ts";
import { openNoteActions } from "../../memory/note-actions.ts";
import { currentSession } from "../project/session-name.ts";
import { taskActionsOf } from "../project/task-actions-of.ts";
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
    const { iteration } = session;
    return await work({
      memory: openMemoryActions({ db, now }),
      learnings: openLearningActions({ db, root, now }),
      notes: await openNoteActions({ db, session: await currentSession(db, root, {}), iteration, now }),
      tasks: await taskActionsOf(session, { db, root }),
      iteration,
      agent,
    });
  } finally {
    await close();
  }
}
