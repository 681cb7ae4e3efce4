import type { SourceFormat, StatedTask } from "../../graph/task.ts";

/**
 * A task as stated in its file, with cleaned texts. The format cannot express absent fields: an import leaves them
 * unchanged in the project.
 */
export interface ImportedTask extends StatedTask {
  /** Identifies the entry in a changed file; unique in the file. */
  readonly key: string;
  /** The id in the file; null: the import derives one from path and key. */
  readonly id: string | null;
  readonly parentKey?: string | null;
  /** The line where the entry begins, from 1. */
  readonly line: number;
  readonly title: string;
  readonly description: string;
  readonly state: "open" | "done" | "blocked";
  /** True: the entry is ticked, also if open children keep it open. */
  readonly ticked?: boolean;
  /** The reason of a block. */
  readonly reason: string | null;
  /** Keys of this file, or ids of existing tasks of the project. */
  readonly dependsOn?: readonly string[];
  /** Like `dependsOn`, but unknown ids are dropped with a warning: a copy of a tracker is often incomplete. */
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

/** By the key of an entry: ticked, or open. */
export type Marks = ReadonlyMap<string, boolean>;

/** One format of files that tasks are imported from. */
export interface ImportFormat {
  readonly name: SourceFormat;
  /** File name extensions of this format, with the dot. */
  readonly endings: readonly string[];
  /** Detects the format by content where formats share an extension; absent if the extension is unique. */
  holds?(source: SourceText): boolean;
  /** Parses the tasks. Throws RalphError for an invalid file. */
  parse(source: SourceText): ImportedFile | Promise<ImportedFile>;
  /**
   * Returns the text with these entries ticked (true) or open (false), and nothing else changed; an entry that is so already
   * or has no place for a tick stays. Undefined if there is none of these entries. Reads the text once, however many there
   * are. Throws RALPH_WRITE_BACK for an entry that cannot be changed.
   */
  mark(source: SourceText, marks: Marks): string | undefined | Promise<string | undefined>;
  /**
   * Returns two versions of a list without the entries that both have, to compare the others' ticks; undefined if the
   * others could mean something else then. Absent for a format that is read quickly.
   */
  withoutShared?(
    path: string,
    former: string,
    current: string,
  ): Promise<readonly [string, string] | undefined>;
}

/** A format that is read at once: its `parse` bounds the text such that signals wait less than a second (TRUST-12). */
export interface ShortFormat extends ImportFormat {
  parse(source: SourceText): ImportedFile;
  mark(source: SourceText, marks: Marks): string | undefined;
}
