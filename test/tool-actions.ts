import { safe } from "../src/base/safe-text.ts";
import type { ToolActions } from "../src/mcp/tool.ts";
import { openLearningActions } from "../src/memory/learning-actions.ts";
import { openMemoryActions } from "../src/memory/memory-actions.ts";
import { openNoteActions } from "../src/memory/note-actions.ts";
import { attemptCounts } from "../src/outcome/outcome-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { openTaskActions } from "../src/tasks/task-actions.ts";

/** The actions of one tool call over a store, in a project without files, as `ralph mcp` opens them. */
export async function openToolActions(
  db: Db,
  { here, now }: { readonly here: ToolActions["iteration"]; readonly now: () => Date },
): Promise<ToolActions> {
  const root = "/nonexistent";
  const began = here?.startedAt ? { iteration: here.startedAt, run: here.startedAt } : undefined;
  const actor = { currentTaskId: here?.taskId, isAlive: () => true };
  return {
    memory: openMemoryActions({ db, now }),
    learnings: openLearningActions({ db, root, now }),
    notes: await openNoteActions({ db, session: safe`main`, iteration: here, now }),
    tasks: openTaskActions({ db, root, now, actor, attemptCounts, began }),
    ...{ iteration: here, agent: "claude" },
  };
}
