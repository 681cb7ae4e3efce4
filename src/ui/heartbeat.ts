import { type SafeText, safe } from "../base/safe-text.ts";
import type { RalphEvent } from "../events/event.ts";
import { after, describe, startOf } from "./progress.ts";

/** The time between two lines off a terminal. */
const heartbeatMs = 60_000;
const width = 200;

interface HeartbeatOutput {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly print: (line: SafeText) => void;
}

/** Prints the running attempt while no other line appears: at least one line a minute off a terminal (LOOP-23). */
export interface Heartbeat {
  update(event: RalphEvent): void;
  /** Another line was printed. */
  printed(): void;
  /** Prints a line when the last one is a minute old. Call it often. */
  tick(): void;
}

export function createHeartbeat({ now, print }: HeartbeatOutput, root: string): Heartbeat {
  let progress = startOf(root);
  let last = now();
  return {
    update: (event) => {
      progress = after(progress, event, now());
    },
    printed: () => {
      last = now();
    },
    tick: () => {
      if (now() - last < heartbeatMs) return;
      const lines = describe(progress, now(), width);
      if (lines.length === 0) return;
      last = now();
      for (const line of lines) print(safe`  … ${line}`);
    },
  };
}
