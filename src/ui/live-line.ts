import { type SafeText, safe } from "../base/safe-text.ts";
import type { RalphEvent } from "../events/event.ts";
import { after, describe, startOf } from "./progress.ts";

interface LiveScreen {
  /** The terminal's width at each call. */
  readonly columns: () => number;
  readonly writeNote: (text: SafeText) => void;
  /** Called with each event of work and before each frame, as a question may have changed the terminal's modes. */
  readonly beforeDraw: () => void;
  /** Called when nothing is to be drawn until the next event: questions may be asked. */
  readonly atRest: () => void;
}

/** One status line at the bottom, redrawn in place: the running attempt and the agent's last step (LOOP-23). */
export interface LiveLine {
  update(event: RalphEvent): void;
  clear(): void;
  end(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const eraseLine = safe`\r\u001b[2K`;
const minColumns = 20;

export function createLiveLine(screen: LiveScreen, root: string): LiveLine {
  let progress = startOf(root);
  let frame = 0;
  let drawn = false;
  const clear = (): void => {
    if (drawn) screen.writeNote(eraseLine);
    drawn = false;
  };
  const draw = (): void => {
    // One column stays free: a full line would wrap, and only its last row would be erased.
    const width = Math.max(minColumns, screen.columns() - 1) - 2;
    const text = describe(progress, Date.now(), width);
    if (text === undefined) return;
    screen.beforeDraw();
    frame = (frame + 1) % frames.length;
    screen.writeNote(safe`${eraseLine}${frames[frame] ?? ""} ${text}`);
    drawn = true;
  };
  const timer = setInterval(draw, 120);
  timer.unref();
  return {
    clear,
    update: (event) => {
      progress = after(progress, event, Date.now());
      if (progress.now) return screen.beforeDraw();
      clear();
      screen.atRest();
    },
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}
