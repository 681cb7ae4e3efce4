import type { Iteration, LearningActions } from "../memory/learning-actions.ts";
import type { MemoryActions } from "../memory/memory-actions.ts";
import type { NoteActions } from "../memory/note-actions.ts";
import type { TaskActions } from "../tasks/task-actions.ts";
import { type Arguments, type Inputs, parseArguments, schemaOf } from "./arguments.ts";

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

/** One tool that agents can call. */
export interface Tool {
  readonly name: string;
  /** For the model that decides whether to call it. */
  readonly description: string;
  /** True: it changes nothing. */
  readonly reads: boolean;
  /** Returns the JSON Schema of its arguments. */
  schema(): ReturnType<typeof schemaOf>;
  /** Checks the arguments; returns the function that runs the call and answers with data. Throws for what the caller can fix. */
  prepare(given: unknown): (actions: ToolActions) => Promise<object>;
}

interface ToolDefinition<Shape extends Inputs> extends Pick<Tool, "name" | "description" | "reads"> {
  readonly inputs: Shape;
  run(actions: ToolActions, given: Arguments<Shape>): Promise<object>;
}

export function defineTool<Shape extends Inputs>(definition: ToolDefinition<Shape>): Tool {
  const { name, description, reads, inputs } = definition;
  return {
    name,
    description,
    reads,
    schema: () => schemaOf(inputs),
    prepare: (given) => {
      const checked = parseArguments(inputs, given);
      return (actions) => definition.run(actions, checked);
    },
  };
}
