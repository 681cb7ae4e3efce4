import type { IterationHere, LearningActions } from "../memory/learning-actions.ts";
import type { TaskActions } from "../tasks/task-actions.ts";
import type { Given, Inputs } from "./tools/arguments.ts";

/** What the tools of one call work on. */
export interface ToolActions {
  readonly learnings: LearningActions;
  readonly tasks: TaskActions;
  /** Of the agent that calls; null outside an iteration. */
  readonly iteration: IterationHere | null;
  /** The agent that the server was attached to; null where nobody said. */
  readonly agent: string | null;
}

/** One tool that agents can call. It answers with data, and throws RalphError for what its caller can mend. */
export interface Tool {
  readonly name: string;
  /** For the model that decides whether to call it. */
  readonly description: string;
  /** Whether it changes nothing. */
  readonly reads: boolean;
  readonly inputs: Inputs;
  run(desks: ToolActions, given: Given): Promise<object>;
}
