import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";

/** The alternate screen of a terminal: lines, of which only those that changed are written. */
export interface FullScreen {
  draw(lines: readonly SafeText[]): void;
  /** Writes all lines at the next `draw`, as after a change of the window's size. */
  redraw(): void;
  /** Restores what the terminal showed before. Further calls do nothing. */
  leave(): void;
  enter(): void;
}

// Alternate screen, no cursor, no automatic wrap.
const start = safe`\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J`;
const end = safe`\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l`;

export function openFullScreen(write: (text: SafeText) => void): FullScreen {
  let shown: readonly SafeText[] = [];
  let isOpen = false;
  const enter = (): void => {
    if (isOpen) return;
    [isOpen, shown] = [true, []];
    write(start);
  };
  return {
    enter,
    draw: (lines) => {
      if (!isOpen) return;
      const changed = lines.flatMap((line, at) =>
        // Cleared before: at the end of a full line the cursor stands on its last cell.
        line === shown[at] ? [] : [safe`\u001b[${at + 1};1H\u001b[2K${line}\u001b[0m`],
      );
      shown = lines;
      if (changed.length > 0) write(joinSafe(changed, ""));
    },
    redraw: () => {
      if (isOpen && shown.length > 0) write(safe`\u001b[2J`);
      shown = [];
    },
    leave: () => {
      if (!isOpen) return;
      isOpen = false;
      write(end);
    },
  };
}
