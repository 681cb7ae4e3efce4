import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type { LogHead, ProjectKey } from "../../trust/project-key.ts";
import type { TableWrite } from "../event.ts";
import { isWrite } from "../rows/replay-writes.ts";
import { readLinesAfter } from "./log-file.ts";

/** Keeps the end of the log outside the project, so that an older copy of log and store together is noticed. */
export interface HeadKeeper {
  /** Returns true when the log lacks the event that was its last when ralph last kept its head. */
  isLost(): boolean;
  /** Returns the stored end; null: none. */
  kept(): LogHead | null;
  /** Notes the log's end after this process appended to it. `isNew`: the log of a new store has begun. */
  note(head: LogHead, isNew: boolean): void;
  /** Stores the noted end, not synced to the disk. A head that was lost before stays until someone accepts the log as it is. */
  keep(): void;
  /** Stores `head` as the log's end, whatever was stored. */
  accept(head: LogHead): void;
  /** Writes the project's key again if its file was changed since this process read it. Returns true when that was needed. */
  restoreKey(): boolean;
  /** Notes outside the project the iteration whose agent works from now on, and its rows of processes; null: none does. */
  setWork(work: Work | null): void;
  /** Returns the iteration whose agent works, or worked when ralph was killed; null: none. */
  work(): string | null;
  /** Returns the rows that were noted with that iteration; empty: none is known. */
  workRows(): readonly TableWrite[];
}

/** An iteration at work. */
interface Work {
  readonly iterationId: string;
  readonly rows: readonly TableWrite[];
}

export type Heads = Pick<
  ProjectKey,
  "readHead" | "writeHead" | "restoreFile" | "readWork" | "readWorkDetails" | "writeWork"
>;

export function createHeadKeeper(file: string, heads: Heads | null): HeadKeeper {
  let noted: LogHead | null = null;
  /** Undefined: not known yet. */
  let lost: boolean | undefined;
  const isLost = (): boolean => {
    const head = heads?.readHead() ?? null;
    return head !== null && !hasHead(file, head);
  };
  return {
    isLost,
    kept: () => heads?.readHead() ?? null,
    note: (head, isNew) => {
      noted = head;
      if (isNew) lost = false;
    },
    keep: () => {
      if (noted === null || heads === null) return;
      lost ??= isLost();
      if (!lost) heads.writeHead(noted);
      noted = null;
    },
    accept: (head) => {
      lost = false;
      noted = null;
      heads?.writeHead(head);
    },
    restoreKey: () => heads?.restoreFile() ?? false,
    setWork: (work) => {
      const rows = work?.rows.map(({ table, op, row }) => ({ table, op, row: { ...row } }));
      heads?.writeWork(work?.iterationId ?? null, rows && { rows });
    },
    work: () => heads?.readWork() ?? null,
    workRows: () => {
      const rows = heads?.readWorkDetails()?.["rows"];
      return Array.isArray(rows) ? rows.flatMap((row) => (isWrite(row) ? [row] : [])) : [];
    },
  };
}

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns true when the log has the event of `head` with the same chain value; false for a log that cannot be read. */
function hasHead(file: string, head: LogHead): boolean {
  try {
    const descriptor = openSync(file, flags);
    try {
      if (!fstatSync(descriptor).isFile()) return false;
      const lines = readLinesAfter(descriptor, head.seq - 1);
      const first = lines.find(({ event }) => event?.seq !== undefined)?.event;
      return first?.seq === head.seq && first["chain"] === head.chain;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}
