import type { Reader } from "../store/port/db.ts";
import { type TextTokens, tokenize } from "./tokenize.ts";

/** An item that the index can find: one learning, one fix, one skill. */
export interface SearchDocument {
  /** The memory kind that owns it, as a singular noun: `learning`. */
  readonly kind: string;
  /** Unique within its kind. */
  readonly id: string;
  /** The scope that a search can be limited to, such as a project; "" for none. */
  readonly scope: string;
  /** Scores higher than the body; "" when the text has none. */
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  /** Paths with `/`. */
  readonly files: readonly string[];
  /** Text of the situation that it came from, such as its task: similar situations may need it again. Scores below tags. */
  readonly context?: string;
  /** Signature of the error that it fixed (`outcome/signature.ts`). It ranks first where that error occurs again. */
  readonly errorSignature: string | null;
  /** The task that it came from. */
  readonly taskId: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Returns the tokens of a document's tags and files. */
export function labelTokens({ tags, files }: SearchDocument): TextTokens {
  return tokenize([...tags, ...files].join(" "));
}

/** Returns the tokens of a document's context. */
export function contextTokens({ context = "" }: SearchDocument): TextTokens {
  return tokenize(context);
}

/** Access to one kind's documents. The index stores words and numbers only, so no text is stored twice. */
export interface DocumentSource {
  readonly kind: string;
  /** Returns the documents of these ids, without those that are deleted or no longer searchable. */
  read(q: Reader, ids: readonly string[]): Promise<readonly SearchDocument[]>;
  /** Returns those of some ids whose documents must not weaken the decision about the others; absent: none. */
  inDoubt?(q: Reader, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Counts the documents that `readAll` returns, without reading them. */
  count(q: Reader): Promise<number>;
  /** Yields all searchable documents in batches, oldest first, to rebuild the index. */
  readAll(q: Reader): AsyncIterable<readonly SearchDocument[]>;
}
