import { clip } from "../base/text.ts";

/** What is looked for: a task as its prompt will tell it. */
export interface RetrievalQuery {
  readonly title: string;
  readonly description: string;
  readonly files: readonly string[];
  readonly tags: readonly string[];
  /** The failing part of the last attempt's output; "" when nothing failed. */
  readonly lastError: string;
  readonly errorSignature: string | null;
  /** Ids of the tasks near it in the graph: itself, its parent, its blockers, its siblings. */
  readonly relatedTasks: readonly string[];
}

/** What a query takes of a task. */
interface QueryTask {
  readonly title: string;
  readonly description: string;
  readonly acceptance: readonly string[];
  readonly files: readonly string[];
  readonly tags: readonly string[];
}

interface QueryContext {
  readonly lastError?: string;
  readonly errorSignature?: string | null;
  readonly relatedTasks?: readonly string[];
}

const errorChars = 2000;

/** The query for what helps with a task. */
export function queryOf(task: QueryTask, around: QueryContext = {}): RetrievalQuery {
  return {
    title: task.title,
    description: [task.description, ...task.acceptance].join("\n"),
    files: task.files,
    tags: task.tags,
    lastError: clip(around.lastError ?? "", errorChars),
    errorSignature: around.errorSignature ?? null,
    relatedTasks: around.relatedTasks ?? [],
  };
}

/** The query for words that a person or an agent typed. */
export function queryOfText(text: string): RetrievalQuery {
  return {
    title: text,
    description: "",
    files: [],
    tags: [],
    lastError: "",
    errorSignature: null,
    relatedTasks: [],
  };
}
