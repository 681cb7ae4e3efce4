import { joinSafe, type SafeText } from "../../base/safe-text.ts";
import type { RalphEvent } from "../../events/event.ts";
import type { EventLog } from "../../events/event-log.ts";
import { storedJson } from "../../trust/stored-text.ts";
import { createHeartbeat } from "../../ui/heartbeat.ts";
import { createLiveLine } from "../../ui/live-line.ts";
import { createPlainRenderer } from "../../ui/plain.ts";
import { summaryColumns } from "../project/session.ts";
import type { Session } from "../shell/command.ts";
import { typedKeys } from "./typed-keys.ts";

interface WatchedRun {
  /** Prints a line for people above the status line. */
  readonly notify: (text: SafeText) => void;
  /** Ends the status line. Later events, such as a hook that fails after the end, are still printed. */
  end(): void;
  /** Stops printing events, because another run may follow in this process. */
  close(): void;
}

interface RunView {
  /** The project's root. */
  readonly root: string;
  /** False: the end suggests no next command. */
  readonly hints: boolean;
}

/**
 * Prints a run's events: one JSON line each with `--json`, otherwise lines for people, with a live status line below
 * them on a terminal, and a line a minute elsewhere.
 */
export function watchRun(session: Session, log: EventLog, view: RunView): WatchedRun {
  if (session.json) {
    const stop = log.subscribe((event) => session.out(storedJson(event)));
    return { end: stop, close: stop, notify: session.note };
  }
  const { screen } = session;
  const render = createPlainRenderer({
    ...{ colour: screen.colour, verbose: session.verbose, quiet: session.quiet },
    ...{ columns: summaryColumns(screen), ...view },
  });
  const status = session.quiet
    ? silent
    : screen.noteIsTerminal
      ? liveLine(session, view)
      : pulse(session, view);
  let ended = false;
  const unsubscribe = log.subscribe((event) => {
    const lines = render(event);
    if (lines.length > 0) {
      status.makeRoom();
      session.out(joinSafe(lines, "\n"));
    }
    if (!ended) status.update(event);
  });
  return {
    notify: (text) => {
      status.makeRoom();
      session.note(text);
    },
    end: () => {
      ended = true;
      status.end();
    },
    close: unsubscribe,
  };
}

/** The running attempt, shown between two lines. */
interface StatusView {
  update(event: RalphEvent): void;
  /** Call it before another line is printed. */
  makeRoom(): void;
  end(): void;
}

const silent: StatusView = { update: () => {}, makeRoom: () => {}, end: () => {} };

function liveLine({ screen }: Session, { root }: RunView): StatusView {
  const keys = typedKeys();
  const columns = (): number => process.stderr.columns || screen.columns || 80;
  const rows = (): number => process.stderr.rows || 24;
  const { writeNote } = screen;
  const line = createLiveLine(
    { columns, rows, writeNote, beforeDraw: keys.hide, atRest: keys.restore },
    root,
  );
  return {
    update: line.update,
    makeRoom: line.clear,
    end: () => {
      line.end();
      keys.restore();
    },
  };
}

const tickMs = 1000;

function pulse(session: Session, { root }: RunView): StatusView {
  const beat = createHeartbeat({ now: () => Date.now(), print: session.out }, root);
  const timer = setInterval(beat.tick, tickMs);
  timer.unref();
  return { update: beat.update, makeRoom: beat.printed, end: () => clearInterval(timer) };
}
