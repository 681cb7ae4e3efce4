import { emitKeypressEvents } from "node:readline";
import { PassThrough } from "node:stream";
import { messageOf } from "../../base/errors.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { oneLine } from "../../base/text.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { drawFrame } from "../../ui/frame.ts";
import { type FullScreen, openFullScreen } from "../../ui/screen.ts";
import { firstKeys, type Key, type KeyState, pressKey } from "../../ui/view-keys.ts";
import { wordsOf } from "../../view/actions.ts";
import type { ViewModel } from "../../view/model.ts";
import type { Invocation, Project, Session } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";
import { executeHere } from "./execute.ts";
import { openView } from "./open-view.ts";
import { typedKeys } from "./typed-keys.ts";

interface LiveViewSetup {
  /** Those of the command line, which the commands of keys also get. */
  readonly options: Invocation["options"];
  /** Null: the latest run, also one that begins later. */
  readonly runId: string | null;
  /** Signals that end the process; whoever listens to others leaves the view itself. */
  readonly endings: readonly NodeJS.Signals[];
  /** Called once, when the person leaves the view or it ends otherwise. */
  readonly onLeave: () => void;
}

/** A view on the whole terminal. */
export interface LiveView {
  /** Shows a line in place of the keys. */
  say(text: SafeText): void;
  leave(): void;
}

const pollMs = 500;

/** @throws RalphError `RALPH_USAGE` without a terminal for the view */
export function requireTerminal({ screen, json }: Session, command: string, hint: string): void {
  if (screen.outIsTerminal && !json && process.stdin.isTTY === true) return;
  throw usageError(`${command} needs a terminal`, hint);
}

/** Shows a run on the alternate screen, read twice a second, and does what keys ask for. */
export function openLiveView(
  session: Session,
  project: Project,
  { options, runId, endings, onLeave }: LiveViewSetup,
): LiveView {
  const { stdout } = process;
  const { colour } = session.screen;
  const { read } = openView(session, project, { runId });
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
    if (words) say((await executeHere(session, options, words)).text);
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
  const terminal = holdTerminal(screen, { onKey, draw, leave, endings });
  void poll();
  return { say, leave };
}

interface Grip {
  suspend(): void;
  /** Restores the terminal; false: it was restored before. */
  release(): boolean;
}

interface Held extends Pick<LiveViewSetup, "endings"> {
  onKey(key: Key): void;
  readonly draw: () => void;
  readonly leave: () => void;
}

/** Takes screen and keys, and gives them back at each signal, at the process's end and when it crashes. */
function holdTerminal(screen: FullScreen, { onKey, draw, leave, endings }: Held): Grip {
  const { stdout } = process;
  const parser = new PassThrough();
  emitKeypressEvents(parser);
  parser.on("keypress", (_: string | undefined, key: Key) => onKey(key));
  const keys = typedKeys((typed) => void parser.write(typed));
  const onResize = (): void => {
    screen.redraw();
    draw();
  };
  const take = (): void => {
    screen.enter();
    keys.hide();
    draw();
  };
  const restore = (): void => {
    screen.leave();
    keys.restore();
  };
  const onEnd = (signal: NodeJS.Signals): void => {
    leave();
    process.kill(process.pid, signal);
  };
  const change = (how: "on" | "off"): void => {
    stdout[how]("resize", onResize);
    process[how]("exit", restore);
    process[how]("uncaughtExceptionMonitor", restore);
    for (const signal of endings) process[how](signal, onEnd);
  };
  let isHeld = true;
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
