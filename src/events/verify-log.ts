import { type FileHandle, open } from "node:fs/promises";
import { carefulRead } from "../base/careful-files.ts";
import type { Seal } from "../store/db.ts";
import type { ProjectKey } from "../trust/project-key.ts";
import type { RalphEvent } from "./event.ts";
import { splitChain } from "./log/chain.ts";
import { countLines } from "./log/line-form.ts";
import { streamLineBytes } from "./log/log-file.ts";
import { createHeadKeeper } from "./log/log-head.ts";
import { createLineVerifier, type LineVerdict } from "./log/verify-lines.ts";

/** The state of a log, from its first byte to its last. */
export interface LogReport {
  readonly lines: number;
  readonly bad: number;
  /** The first bad line, from 1, and what is wrong with it. */
  readonly first: { readonly line: number; readonly fault: string } | null;
  /** Events that ralph found in the store without a seal. */
  readonly unverified: number;
  /** Lines whose chain value was made with another key: by another user, on another machine or in another folder. */
  readonly ofOtherKeys: number;
  /** The number of the last event; 0: none. */
  readonly lastSeq: number;
  /** False when the last line lacks its newline. */
  readonly isComplete: boolean;
}

/**
 * Reads the whole log and checks each line's form, number and chain value, in bounded memory. Without a key chain values are not
 * checked. Errors: those of opening the file, a link included.
 */
export async function verifyLog(file: string, seal: Seal | null): Promise<LogReport> {
  const handle = await open(file, carefulRead);
  try {
    return { ...(await verify(handle, seal)), isComplete: await endsWithNewline(handle) };
  } finally {
    await handle.close();
  }
}

type First = LogReport["first"];

async function verify(handle: FileHandle, seal: Seal | null): Promise<Omit<LogReport, "isComplete">> {
  const verifier = createLineVerifier(seal);
  const faults = collectFaults();
  const report = { lines: 0, unverified: 0, ofOtherKeys: 0, lastSeq: 0 };
  for await (const line of streamLineBytes(handle)) {
    const { all } = countLines(line);
    const verdict = verifier.next(line);
    faults.see(verdict, { line: report.lines + 1, count: all });
    report.lines += all;
    const { state, event } = verdict;
    if (state === "unverified") report.unverified += 1;
    if (state === "older" && splitChain(line?.toString("utf8") ?? "")) report.ofOtherKeys += 1;
    if (state !== "bad") report.lastSeq = event?.seq ?? report.lastSeq;
  }
  return { ...report, ...faults.end() };
}

interface Faults {
  bad: number;
  first: First;
}

/** One line, or several that are no records: the number of the first, from 1, and how many they are. */
interface Lines {
  readonly line: number;
  readonly count: number;
}

/** Counts the faults of lines. Some are open until a later line confirms that they were there when ralph wrote it. */
function collectFaults(): { see(verdict: LineVerdict, lines: Lines): void; end(): Faults } {
  const sure: Faults = { bad: 0, first: null };
  let open: Faults = { bad: 0, first: null };
  let gaps: Faults = { bad: 0, first: null };
  return {
    see: ({ state, event, fault, isGap, confirmsAll }, { line, count }) => {
      if (confirmsAll) open = { bad: 0, first: null };
      if (confirmsAll || endsSnapshot(event)) gaps = { bad: 0, first: null };
      if (fault === null) return;
      const faults = state === "bad" ? sure : isGap ? gaps : open;
      faults.bad += count;
      faults.first ??= { line, fault };
    },
    end: () => {
      const [first = null] = [sure.first, open.first, gaps.first]
        .filter((one) => one !== null)
        .toSorted((a, b) => a.line - b.line);
      return { bad: sure.bad + open.bad + gaps.bad, first };
    },
  };
}

function endsSnapshot(event: RalphEvent | undefined): boolean {
  return event?.type === "store.snapshot" && event["part"] === event["parts"];
}

async function endsWithNewline(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** Returns true when the log lacks the event that was its last when ralph last kept its head outside the project. */
export function isHeadLost(file: string, key: ProjectKey): boolean {
  return createHeadKeeper(file, key).isLost();
}
