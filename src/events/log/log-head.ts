import { closeSync, fstatSync, openSync, renameSync } from "node:fs";
import { basename, dirname } from "node:path";
import { carefulRead } from "../../base/careful-files.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Owner } from "../../base/owner.ts";
import type { Holder, LogHead, ProjectKey } from "../../trust/project-key.ts";
import type { TableWrite } from "../event.ts";
import { isWrite } from "../rows/replay-writes.ts";
import { type Appended, appendToCopy, catchUp, endOfCopy, newerCopy, restoreFromCopy } from "./log-copy.ts";
import { readLinesAfter } from "./log-file.ts";

/** Keeps the end of the log outside the project, so that an older copy of log and store together is noticed. */
export interface HeadKeeper {
  /** The project's folder in the user's state; null: none is kept. */
  readonly folder: string | null;
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
  /** Returns what is at work, or was when ralph was killed: an iteration, or a marker of other code; null: nothing. */
  work(): string | null;
  /** Returns the process for which it works; null: the run that holds the project. */
  workOwner(): Owner | null;
  /** Returns the rows that were noted with that iteration; empty: none is known. */
  workRows(): readonly TableWrite[];
  /** Returns the changes to what verification reads that were noted outside the project, by the mark that the store has of them. */
  changedInputs(mark: string | null): ReturnType<ProjectKey["readInputs"]>;
  /** Notes them; `before` is the mark until now. Returns the new mark; null: nothing is noted. */
  setChangedInputs(changes: readonly JsonObject[], before: string | null): string | null;
  /** Notes outside the project which run holds it. */
  hold(holder: Holder): void;
  /** Returns the run that last held the project; null: it is not known. */
  holder(): Holder | null;
  /** Makes the copy outside the project equal to the log. A copy of a newer log is kept. */
  copyLog(): void;
  /** Returns the copy of a newer log, to stay where it is; null: there is none. */
  newerCopy(): string | null;
  /** Adds to that copy what this process appended to the log; while an agent works, nothing else that the log has. */
  copyLines(appended: Appended): void;
  /**
   * Restores the log from that copy when it does not have the copy's end, or `always`, if the copy has all that was kept. Returns
   * a warning; undefined when nothing was restored.
   */
  restoreLog(always?: boolean): string | undefined;
}

/** The work of an agent, or of code that one may have written. */
interface Work {
  /** The iteration, or the marker of the code's processes. */
  readonly iterationId: string;
  readonly rows: readonly TableWrite[];
  /** The process for which the code runs; absent: the run that holds the project. */
  readonly owner?: Owner;
}

export type Heads = Omit<ProjectKey, "keyId" | "seal">;

export function createHeadKeeper(file: string, heads: Heads | null): HeadKeeper {
  let noted: LogHead | null = null;
  /** Undefined: not known yet. */
  let lost: boolean | undefined;
  const isLost = (): boolean => {
    const head = heads?.readHead() ?? null;
    return head !== null && !hasHead(file, head);
  };
  const accept = (head: LogHead): void => {
    lost = false;
    noted = null;
    heads?.writeHead(head);
  };
  const copyLog = (): void => {
    if (heads) catchUp(file, heads.logCopy, () => moveNewerCopy(file, heads));
  };
  return {
    folder: heads && dirname(heads.logCopy),
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
    accept,
    restoreKey: () => heads?.restoreFile() ?? false,
    setWork: (work) => {
      const rows = work?.rows.map(({ table, op, row }) => ({ table, op, row: { ...row } }));
      const owner = work?.owner && { owner: { ...work.owner } };
      heads?.writeWork(work?.iterationId ?? null, rows && { rows, ...owner });
    },
    work: () => heads?.readWork() ?? null,
    workOwner: () => heads?.readWorkOwner() ?? null,
    workRows: () => {
      const rows = heads?.readWorkDetails()?.["rows"];
      return Array.isArray(rows) ? rows.flatMap((row) => (isWrite(row) ? [row] : [])) : [];
    },
    changedInputs: (mark) => heads?.readInputs(mark) ?? { changes: [], mark: null, fault: null },
    setChangedInputs: (changes, before) => heads?.writeInputs(changes, before) ?? null,
    hold: (holder) => heads?.writeHolder(holder),
    holder: () => heads?.readHolder() ?? null,
    copyLog,
    newerCopy: () => {
      copyLog();
      return heads && copyWithHead(heads);
    },
    copyLines: (appended) => {
      if (heads?.readWork() === null) copyLog();
      else if (heads) appendToCopy(heads.logCopy, appended);
    },
    restoreLog: (always = false) => {
      const end = heads && endOfCopy(heads.logCopy);
      if (!end || end.seq < (heads.readHead()?.seq ?? 0) || (!always && hasHead(file, end))) return undefined;
      const keptIn = restoreFromCopy(file, heads.logCopy);
      accept(end);
      const kept = keptIn && `; the log as it was is in .ralph/put-aside/${basename(keptIn)}`;
      return `restored .ralph/events.jsonl from its copy: it was changed other than by ralph${kept ?? ""}`;
    },
  };
}

/** Where the log at `file` lacks the end that was kept, as in an older backup, its copy is all that has it. */
function moveNewerCopy(file: string, heads: Heads): void {
  const head = heads.readHead();
  if (head && !hasHead(file, head) && hasHead(heads.logCopy, head))
    renameSync(heads.logCopy, newerCopy(heads.logCopy, head));
}

/** Returns the copy of the log outside the project that has the end that was kept; null: there is none. */
export function copyWithHead(heads: Pick<Heads, "logCopy" | "readHead">): string | null {
  const head = heads.readHead();
  if (head === null) return null;
  const copies = [heads.logCopy, newerCopy(heads.logCopy, head)];
  return copies.find((copy) => hasHead(copy, head)) ?? null;
}

/** Returns true when the log has the event of `head` with the same chain value; false for a log that cannot be read. */
function hasHead(file: string, head: LogHead): boolean {
  try {
    const descriptor = openSync(file, carefulRead);
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
