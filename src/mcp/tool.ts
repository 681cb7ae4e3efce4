import type { IterationHere, LearningDesk } from "../memory/manage-learnings.ts";
import type { TaskDesk } from "../tasks/manage-tasks.ts";
import type { Given, Inputs } from "./arguments.ts";

/** What the tools of one call work on. */
export interface Desks {
  readonly learnings: LearningDesk;
  readonly tasks: TaskDesk;
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
  run(desks: Desks, given: Given): Promise<object>;
}
