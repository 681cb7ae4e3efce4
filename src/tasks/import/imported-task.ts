import type { VerifyCommand } from "../../base/verify-command.ts";
import type { SourceFormat } from "../task.ts";

/**
 * A task as its file states it, texts cleaned for the database. What is absent the format cannot say: an import leaves
 * it as it is in the project.
 */
export interface ImportedTask {
  /** Finds the entry again in a changed file; unique in it. */
  readonly key: string;
  /** The file's own id for it; null: one is made from path and key. */
  readonly id: string | null;
  readonly parentKey?: string | null;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly title: string;
  readonly description: string;
  readonly state: "open" | "done" | "blocked";
  /** Why it is blocked. */
  readonly reason: string | null;
  readonly priority?: number;
  readonly tags?: readonly string[];
  readonly files?: readonly string[];
  readonly acceptance?: readonly string[];
  readonly verification?: readonly VerifyCommand[];
  readonly commitTemplate?: string | null;
  readonly parallelGroup?: number | null;
  /** Keys of this file, or ids of tasks that the project has already. */
  readonly dependsOn?: readonly string[];
  /** The same, but a copy of a tracker may lack them: those that are nowhere are told and left out. */
  readonly dependsOnIfKnown?: readonly string[];
}

export interface ImportedFile {
  /** In the file's order, parents before their children. */
  readonly tasks: readonly ImportedTask[];
  readonly warnings: readonly string[];
}

export interface SourceText {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** One kind of file that tasks come from. */
export interface ImportFormat {
  readonly name: SourceFormat;
  /** File name endings, with the dot, that mean this format. */
  readonly endings: readonly string[];
  /** Whether the text looks like this format, where others have the same ending; absent: no other has. */
  holds?(source: SourceText): boolean;
  /** Throws RalphError when the file is not of this kind. */
  parse(source: SourceText): ImportedFile;
  /**
   * The text with the entry ticked and nothing else changed; the same text when it is ticked already or has no place for
   * a tick; undefined when there is no such entry.
   */
  tick(source: SourceText, key: string): string | undefined;
  /** The reverse: the text with the entry open again; the same text when it is open or has no place for a tick. */
  untick(source: SourceText, key: string): string | undefined;
}
