import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import type { RalphEvent } from "../events/event.ts";
import { after, describe, startOf } from "./progress.ts";

interface LiveScreen {
  /** The terminal's width at each call. */
  readonly columns: () => number;
  /** The terminal's height at each call. */
  readonly rows: () => number;
  readonly writeNote: (text: SafeText) => void;
  /** True while something else has the screen: nothing is drawn. */
  readonly isCovered: () => boolean;
  /** Called with each event of work and before each frame, as a question may have changed the terminal's modes. */
  readonly beforeDraw: () => void;
  /** Called when nothing is to be drawn until the next event: questions may be asked. */
  readonly atRest: () => void;
}

/** Status lines at the bottom, redrawn in place: each running attempt and its agent's last step (LOOP-23). */
interface LiveLine {
  update(event: RalphEvent): void;
  clear(): void;
  end(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const eraseLine = safe`\r\u001b[2K`;
/** From the last line of a frame to the line above it. */
const eraseUpwards = safe`\u001b[1A\u001b[2K`;
const minColumns = 20;

export function createLiveLine(screen: LiveScreen, root: string): LiveLine {
  let progress = startOf(root);
  let frame = 0;
  /** Lines on the screen. */
  let drawn = 0;
  const erased = (): SafeText =>
    joinSafe([eraseLine, ...Array<SafeText>(Math.max(0, drawn - 1)).fill(eraseUpwards)], "");
  const clear = (): void => {
    if (drawn > 0) screen.writeNote(erased());
    drawn = 0;
  };
  const draw = (): void => {
    if (screen.isCovered()) return;
    // One column stays free: a full line would wrap, and only its last row would be erased.
    const width = Math.max(minColumns, screen.columns() - 1) - 2;
    // Lines that scroll out above could not be erased.
    const lines = describe(progress, Date.now(), width).slice(0, Math.max(1, screen.rows() - 1));
    if (lines.length === 0) return;
    screen.beforeDraw();
    frame = (frame + 1) % frames.length;
    const text = joinSafe(
      lines.map((line) => safe`${frames[frame] ?? ""} ${line}`),
      "\n",
    );
    screen.writeNote(safe`${erased()}${text}`);
    drawn = lines.length;
  };
  const timer = setInterval(draw, 120);
  timer.unref();
  return {
    clear,
    update: (event) => {
      progress = after(progress, event, Date.now());
      if (screen.isCovered()) return;
      if (progress.now || progress.works.some(Boolean)) return screen.beforeDraw();
      clear();
      screen.atRest();
    },
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}

/** The time between two lines off a terminal. */
const heartbeatMs = 60_000;
const width = 200;

interface HeartbeatOutput {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly print: (line: SafeText) => void;
}

/** Prints the running attempt while no other line appears: at least one line a minute off a terminal (LOOP-23). */
interface Heartbeat {
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
