import type { Iteration, LearningActions } from "../memory/learning-actions.ts";
import type { MemoryActions } from "../memory/memory-actions.ts";
import type { NoteActions } from "../memory/note-actions.ts";
import type { TaskActions } from "../tasks/task-actions.ts";

/** The parts of the project that the tools of one call use. */
export interface ToolActions {
  readonly memory: MemoryActions;
  readonly learnings: LearningActions;
  readonly notes: NoteActions;
  readonly tasks: TaskActions;
  /** The calling agent's iteration; null outside an iteration. */
  readonly iteration: Iteration | null;
  /** The agent that the server is attached to; null if unknown. */
  readonly agent: string | null;
}
