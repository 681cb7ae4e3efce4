import type { Reader } from "../store/db.ts";
import { type Words, wordsOf } from "./text/words.ts";

/** What can be found: one learning, one fix, one skill. */
export interface RetrievalDocument {
  /** The memory kind that owns it, such as `learning`. */
  readonly kind: string;
  /** Unique within its kind. */
  readonly id: string;
  /** What a search can be narrowed to, such as a project; "" where there is nothing to narrow. */
  readonly scope: string;
  /** Counts more than the body; "" when the text has none. */
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  /** Paths with `/`. */
  readonly files: readonly string[];
  /** What it came up at, such as the text of that task: what resembles it now may need it again. Counts less than tags. */
  readonly context?: string;
  /** See `outcome/signature.ts`: the error that it mended, which puts it first where that error is back. */
  readonly errorSignature: string | null;
  /** The task that it came from. */
  readonly taskId: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The words of its tags and files. */
export function labelsOf({ tags, files }: RetrievalDocument): Words {
  return wordsOf([...tags, ...files].join(" "));
}

/** The words of what it came up at. */
export function contextOf({ context = "" }: RetrievalDocument): Words {
  return wordsOf(context);
}

/** Where one kind's documents are kept: the index holds words and numbers only, so that no text is stored twice. */
export interface DocumentSource {
  readonly kind: string;
  /** The documents of these ids; an id that is gone, or is not to be found any more, is left out. */
  read(q: Reader, ids: readonly string[]): Promise<readonly RetrievalDocument[]>;
  /** The number of documents that `readAll` returns, without reading them. */
  count(q: Reader): Promise<number>;
  /** All that are to be found, in pieces and in the order of their creation, to build the index anew. */
  readAll(q: Reader): AsyncIterable<readonly RetrievalDocument[]>;
}
