import type { LogHead } from "../../trust/project-key.ts";
import type { LineVerdict } from "./verify-lines.ts";

/** Finds out whether a log shows every event that ralph wrote, whatever else was written into it. */
export interface MissingLines {
  /** Takes the verdict on the next line, of all lines from the first event or a snapshot on. */
  see(verdict: LineVerdict): void;
  /** Returns why events may be missing; null when none is. */
  fault(): string | null;
}

/** `head`: the end of the log as it was kept outside the project; null: it was not. */
export function createMissingLines(head: LogHead | null): MissingLines {
  let last: number | undefined;
  let follows = false;
  let gap: string | null = null;
  let hasHead = head === null;
  return {
    see: ({ state, event, confirmsAll }) => {
      const isRalphs = event !== undefined && state !== "bad" && state !== "torn";
      // A chain value proves that the line before is the one that ralph wrote there, if that line was verified too.
      const isChained = follows && state !== "older" && !confirmsAll;
      follows = isRalphs;
      if (!isRalphs || event.seq === undefined) return;
      const { seq } = event;
      const isNext = last === undefined || seq === last || seq === last + 1;
      const restarts = state === "older" && seq === 1;
      if (!isChained && !isNext && !restarts) gap ??= `event ${seq} follows event ${last}`;
      hasHead ||= seq === head?.seq && event["chain"] === head.chain;
      last = seq;
    },
    fault: () => gap ?? (hasHead ? null : "its end is missing"),
  };
}
