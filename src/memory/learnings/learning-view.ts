import { isProven, type Learning } from "./store/learning.ts";
import { type Usefulness, usefulnessOf } from "./store/usefulness.ts";

/** A learning as people and other rooms see it. */
export type LearningView = Learning & {
  readonly usefulness: Usefulness;
  /** False: an agent's word that nothing has confirmed yet (LEARN-12). */
  readonly proven: boolean;
};

export function viewOf(learning: Learning): LearningView {
  return { ...learning, usefulness: usefulnessOf(learning), proven: isProven(learning) };
}

/** Returns a learning as JSON: the fields of `swarm memory` and all of our own. */
export function learningJson(learning: LearningView): object {
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

/** Returns what an agent reads of a learning that it searched for. */
export function agentView(learning: Learning): object {
  const { id, category, lesson, detail, when, topic, tags, files, status, createdAt, provenance } = learning;
  const { source, task } = provenance;
  return {
    id,
    category,
    lesson,
    detail,
    when,
    topic,
    tags,
    files,
    status,
    createdAt,
    source,
    task,
    proven: isProven(learning),
  };
}
