import type { LearningView } from "../../../../memory/learning-actions.ts";

/** Returns a learning as JSON: the fields of `swarm memory` and all of our own. */
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
