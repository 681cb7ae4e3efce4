import type { LearningView } from "../../../memory/manage-learnings.ts";

/** A learning as JSON: the shape of `swarm memory`, with all of ours beside it. */
export function memoryJson(
  learning: Omit<LearningView, "usefulness"> & Partial<Pick<LearningView, "usefulness">>,
): object {
  const { id, createdAt, lesson, detail, tags, scope, ...more } = learning;
  return {
    id,
    content: detail ? `${lesson}\n${detail}` : lesson,
    metadata: { tags },
    collection: scope,
    createdAt,
    confidence: learning.usefulness?.mean ?? null,
    lesson,
    detail,
    ...more,
  };
}
