import { clip } from "../base/text.ts";
import type { SearchDocument } from "./document.ts";
import { tokenize } from "./tokenize.ts";

/** The text and identifiers to search for, usually those of a task. */
export interface SearchQuery {
  readonly title: string;
  readonly description: string;
  readonly files: readonly string[];
  readonly tags: readonly string[];
  /** The failing part of the last attempt's output; "" when nothing failed. */
  readonly lastError: string;
  readonly errorSignature: string | null;
  /** Ids of the task itself, its parent, its blockers and its siblings. */
  readonly relatedTasks: readonly string[];
}

/** The fields of a task that a query uses. */
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

/** Returns the query for documents that help with a task. */
export function taskQuery(task: QueryTask, context: QueryContext = {}): SearchQuery {
  return {
    title: task.title,
    description: [task.description, ...task.acceptance].join("\n"),
    files: task.files,
    tags: task.tags,
    lastError: clip(context.lastError ?? "", errorChars),
    errorSignature: context.errorSignature ?? null,
    relatedTasks: context.relatedTasks ?? [],
  };
}

/** Returns the number of different stems that the words of a query and of a document have in common. */
export function sharedStems(
  query: SearchQuery,
  { title, body, context, tags }: Pick<SearchDocument, "title" | "body" | "context" | "tags">,
): number {
  const asked = new Set(tokenize([query.title, query.description, query.lastError].join("\n")).words);
  const words = new Set(tokenize([title, body, context, ...tags].join("\n")).words);
  return [...words].filter((word) => asked.has(word)).length;
}

/** Minimum number of stems, and share of the shorter title's stems, that two titles alike share. */
const alike = { stems: 3, share: 0.5 };

/** Reports whether two titles are probably about the same subject. */
export function hasLikeTitle(a: string, b: string): boolean {
  const [left, right] = [new Set(tokenize(a).words), new Set(tokenize(b).words)];
  const shared = [...left].filter((word) => right.has(word)).length;
  return shared >= alike.stems && shared >= alike.share * Math.min(left.size, right.size);
}

/** Returns the query for text that a person or an agent typed. */
export function textQuery(text: string): SearchQuery {
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

/**
 * Returns the tags of a query that is a list of them, such as `ralph,failure`, without quotes; null for other text. Only
 * commas separate them: a comma before a space is part of a sentence.
 */
export function tagList(text: string): readonly string[] | null {
  if (!/^[^\s,]+(?:,[^\s,]+)+$/.test(text.trim())) return null;
  return text.split(",").flatMap((tag) => withoutQuotes(tag) || []);
}

/** Returns a tag without quotes, which shells and scripts leave in. */
export function withoutQuotes(tag: string): string {
  return tag.replace(/["'`]/g, "").trim();
}
