import { emitKeypressEvents } from "node:readline";
import { messageOf } from "../../base/errors.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { oneLine } from "../../base/text.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { drawFrame } from "../../ui/frame.ts";
import { type FullScreen, openFullScreen } from "../../ui/screen.ts";
import { firstKeys, type Key, type KeyState, pressKey } from "../../ui/view-keys.ts";
import { wordsOf } from "../../view/actions.ts";
import type { ViewModel } from "../../view/model.ts";

interface LiveViewSetup {
  read(): Promise<ViewModel>;
  execute(words: readonly string[]): Promise<{ readonly text: SafeText }>;
  readonly colour: boolean;
  /** Called once, when the person leaves the view or it ends otherwise. */
  readonly onLeave: () => void;
}

/** A view on the whole terminal. */
export interface LiveView {
  /** Shows a line in place of the keys. */
  say(text: SafeText): void;
  /** Restores the terminal. */
  leave(): void;
}

const pollMs = 500;

/** Shows a model on the alternate screen, read twice a second, and does what keys ask for. */
export function openLiveView({ read, execute, colour, onLeave }: LiveViewSetup): LiveView {
  const { stdout } = process;
  const screen = openFullScreen((text) => void stdout.write(text));
  let keys: KeyState = firstKeys;
  let model: ViewModel | undefined;
  let isReading = false;
  const draw = (): void => {
    const size = { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    if (model) screen.draw(drawFrame(model, { ...keys, colour, ...size }));
  };
  const say = (text: SafeText): void => {
    keys = { ...keys, footer: oneLine(text) };
    draw();
  };
  const poll = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      model = await read();
    } catch (error) {
      keys = { ...keys, footer: safeLine(messageOf(error), 300) };
    }
    isReading = false;
    draw();
  };
  const act = async (words: readonly string[] | undefined): Promise<void> => {
    if (words) say((await execute(words)).text);
    await poll();
  };
  const onKey = (key: Key): void => {
    if (!model) return;
    const { state, request } = pressKey(keys, key, model);
    keys = state;
    draw();
    if (request?.kind === "leave") leave();
    else if (request?.kind === "interrupt") process.kill(process.pid, "SIGINT");
    else if (request?.kind === "suspend") terminal.suspend();
    else if (request?.kind === "act") {
      void act(wordsOf({ name: request.action.name, id: request.action.id ?? "", text: request.text }));
    }
  };
  const timer = setInterval(() => void poll(), pollMs);
  const leave = (): void => {
    clearInterval(timer);
    if (terminal.release()) onLeave();
  };
  const terminal = holdTerminal(screen, { onKey, draw, leave });
  void poll();
  return { say, leave };
}

interface Grip {
  suspend(): void;
  /** Restores the terminal; false: it was restored before. */
  release(): boolean;
}

const endings: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP", "SIGQUIT"];

/** Takes screen and keys, and gives them back at each signal, at the process's end and when it crashes. */
function holdTerminal(
  screen: FullScreen,
  { onKey, draw, leave }: { onKey(key: Key): void; readonly draw: () => void; readonly leave: () => void },
): Grip {
  const { stdin, stdout } = process;
  const onKeypress = (_: string | undefined, key: Key): void => onKey(key);
  const onResize = (): void => {
    screen.redraw();
    draw();
  };
  const take = (): void => {
    screen.enter();
    if (stdin.isTTY) stdin.setRawMode(true);
    stdin.resume();
    draw();
  };
  const restore = (): void => {
    screen.leave();
    if (stdin.isTTY && !stdin.destroyed) stdin.setRawMode(false);
    stdin.pause();
  };
  const onEnd = (signal: NodeJS.Signals): void => {
    leave();
    process.kill(process.pid, signal);
  };
  const change = (how: "on" | "off"): void => {
    stdin[how]("keypress", onKeypress);
    stdout[how]("resize", onResize);
    process[how]("exit", restore);
    process[how]("uncaughtExceptionMonitor", restore);
    for (const signal of endings) process[how](signal, onEnd);
  };
  let isHeld = true;
  emitKeypressEvents(stdin);
  change("on");
  take();
  return {
    suspend: () => {
      restore();
      process.once("SIGCONT", () => {
        if (isHeld) take();
      });
      process.kill(process.pid, "SIGTSTP");
    },
    release: () => {
      if (!isHeld) return false;
      isHeld = false;
      change("off");
      restore();
      return true;
    },
  };
}
