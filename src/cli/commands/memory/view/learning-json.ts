import type { LearningView } from "../../../../memory/learning-actions.ts";

/** A learning as JSON: the shape of `swarm memory`, with all of ours beside it. */
export function memoryJson(learning: LearningView): object {
  const { id, createdAt, lesson, detail, tags, scope, ...more } = learning;
  return {
    id,
    content: detail ? `${lesson}\n${detail}` : lesson,
    metadata: { tags },
    collection: scope,
    createdAt,
    confidence: learning.usefulness.mean,
    lesson,
    detail,
    ...more,
  };
}
