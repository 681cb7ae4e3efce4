import { readFileSync } from "node:fs";

interface TypedKeys {
  /** Stops the terminal from showing typed keys, if it shows them. */
  hide(): void;
  restore(): void;
}

const signals: readonly (readonly [key: number, signal: NodeJS.Signals])[] = [
  [0x03, "SIGINT"],
  [0x1c, "SIGQUIT"],
  [0x1a, "SIGTSTP"],
];

/**
 * Keeps keys that a user types off the screen: the terminal is in raw mode. `take` gets them; without it the keys for
 * signals are sent as signals, and nothing is done in the background, where the system stops a process that changes the
 * terminal. Does nothing without a terminal.
 */
export function typedKeys(take?: (keys: Buffer) => void): TypedKeys {
  const input = process.stdin;
  let hidden = false;
  const restore = (): void => {
    if (!hidden) return;
    hidden = false;
    input.off("data", onKeys);
    input.off("error", ignore);
    input.pause();
    input.ref();
    if (!input.destroyed) input.setRawMode(false);
  };
  const sendSignals = (keys: Buffer): void => {
    for (const [key, signal] of signals) {
      if (!keys.includes(key)) continue;
      if (signal !== "SIGINT") restore();
      process.kill(process.pid, signal);
    }
  };
  const onKeys = take ?? sendSignals;
  return {
    hide: () => {
      if (hidden || !input.isTTY || input.isRaw || !(take || isInForeground())) return;
      hidden = true;
      input.setRawMode(true);
      input.on("data", onKeys);
      input.on("error", ignore);
      input.resume();
      input.unref();
    },
    restore,
  };
}

/** A window that is closed also sends SIGHUP. */
function ignore(): void {}

/** Linux alone shows it without starting a process; returns false elsewhere. */
function isInForeground(): boolean {
  try {
    // After the name in parentheses: state, parent, group, session, terminal, the terminal's foreground group.
    const [, , group, , , foreground] =
      readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return group !== undefined && group === foreground;
  } catch {
    return false;
  }
}
