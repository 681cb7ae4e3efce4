import { attemptRef } from "../../base/attempt-ref.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Prompt } from "../../context/prompt.ts";
import type { ShownMemory } from "../../memory/port/memory-kind.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { AttemptPrompt, Plan } from "../rows/iteration.ts";
import type { IterationRow } from "../rows/iteration-store.ts";
import type { Loop } from "../rows/loop.ts";
import type { OwnedState } from "../rows/workspace-state.ts";

export interface Beginning {
  readonly task: Task;
  readonly plan: Plan;
  readonly prompt: AttemptPrompt;
  /** The state of the tree as the task found it. */
  readonly state: OwnedState;
}

export function startedEvent(
  { options }: Pick<Loop, "options">,
  { task, plan, ...begun }: Beginning,
): JsonObject {
  const { agent, model, rationale, overridden, offers } = plan;
  const { attempt, number, prompt } = begun.prompt;
  return {
    iteration: number,
    taskId: task.id,
    title: task.title,
    attempt,
    maxAttempts: lastAttemptOf(task, options.limits.maxAttempts),
    agent: agent.name,
    model,
    rationale,
    promptChars: prompt.prompt.length,
    memory: Object.fromEntries(prompt.sections.map(({ name, items }) => [name, items.length] as const)),
    // Without the memory's own words, which a purge has to reach.
    dropped: prompt.dropped.map(({ section, id, reason }) => `${section} ${id}: ${reason.split(": ", 1)[0]}`),
    overridden,
    offers: offers.map((offer) => ({ ...offer })),
  };
}

/** Returns the number of the last attempt that is allowed: a reset grants new attempts and numbers them on. 0: no limit. */
function lastAttemptOf({ attemptsBefore }: Task, maxAttempts: number): number {
  return maxAttempts > 0 ? attemptsBefore + maxAttempts : 0;
}

/** Returns the memory items that the prompt shows, and those that a hold-out withheld. */
export function shownMemory(row: IterationRow, prompt: Prompt): ShownMemory {
  const items = prompt.sections.flatMap(({ name, items: shown }) =>
    shown.map((item) => ({ section: name, id: item.id, score: item.score })),
  );
  const withheld = prompt.dropped.filter((dropped) => dropped.withheld === true);
  return { ...attemptRef(row), model: row.model, prompt: prompt.prompt, items, withheld };
}
