import { joinSafe, type SafeText } from "../../base/safe-text.ts";
import type { EventListener, RalphEvent } from "../../events/event.ts";
import type { EventLog } from "../../events/event-log.ts";
import { fieldsOf } from "../../events/run-events.ts";
import { storedJson } from "../../trust/stored-text.ts";
import { createHeartbeat, createLiveLine } from "../../ui/live-line.ts";
import { createPlainRenderer } from "../../ui/plain.ts";
import { summaryColumns } from "../project/session.ts";
import type { Invocation, Project, Session } from "../shell/command.ts";
import type { LiveView, openLiveView } from "../view/live-view.ts";
import { typedKeys } from "../view/typed-keys.ts";

interface WatchedRun {
  readonly notify: (text: SafeText) => void;
  /** Ends the status line. Later events, such as a hook that fails after the end, are still printed. */
  end(): void;
  /** Stops printing events, because another run may follow in this process. */
  close(): void;
}

interface WatchedPlace {
  readonly log: EventLog;
  readonly root: string;
  readonly project: Project;
  readonly runId: string;
}

/** How a run is shown. */
export interface RunView {
  /** False: the end suggests no next command. */
  readonly hints: boolean;
  /** Null: no view on the whole screen. */
  readonly whole: WholeView | null;
}

interface WholeView {
  readonly open: typeof openLiveView;
  /** Of `ralph run --watch`. */
  readonly options: Invocation["options"];
}

/**
 * Prints a run's events: one JSON line each with `--json`, otherwise lines for people, with a live status line below
 * them on a terminal, or the whole screen for the live view; and a line a minute elsewhere.
 */
export async function watchRun(
  session: Session,
  { log, root, project, runId }: WatchedPlace,
  { hints, whole }: RunView,
): Promise<WatchedRun> {
  const subscribe = (listener: EventListener): (() => void) =>
    log.subscribe((event) => {
      // Runs of other machines may share the store.
      if (event.jobId === null || event.jobId === runId) listener(event);
    });
  if (session.json) {
    const stop = subscribe((event) => session.out(storedJson(event)));
    return { end: stop, close: stop, notify: session.note };
  }
  const { screen } = session;
  const render = createPlainRenderer({
    ...{ colour: screen.colour, verbose: session.verbose, quiet: session.quiet },
    ...{ columns: summaryColumns(screen), hints, root },
  });
  const status = whole
    ? wholeScreen(session, { root, project, runId }, whole)
    : session.quiet
      ? silent
      : screen.noteIsTerminal
        ? liveLine(session, root)
        : pulse(session, root);
  let ended = false;
  const unsubscribe = subscribe((event) => {
    const lines = render(event);
    if (lines.length > 0) status.print(() => session.out(joinSafe(lines, "\n")));
    if (!ended) status.update(event);
  });
  return {
    notify: (text) => {
      status.print(() => session.note(text));
      status.say(text);
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
  /** Calls `write`, which prints lines, when there is room for them. */
  print(write: () => void): void;
  /** Shows a line that is printed too, if printing has to wait. */
  say(text: SafeText): void;
  end(): void;
}

const ignore = (): void => {};
const silent: StatusView = { update: ignore, print: (write) => write(), say: ignore, end: ignore };

/** `isCovered`: something else has the screen. */
function liveLine(
  { screen }: Session,
  root: string,
  isCovered = () => false,
): StatusView & { readonly rest: () => void } {
  const keys = typedKeys();
  const columns = (): number => process.stderr.columns || screen.columns || 80;
  const rows = (): number => process.stderr.rows || 24;
  const { writeNote } = screen;
  const line = createLiveLine(
    { columns, rows, writeNote, isCovered, beforeDraw: keys.hide, atRest: keys.restore },
    root,
  );
  return {
    update: line.update,
    rest: () => {
      line.clear();
      keys.restore();
    },
    print: (write) => {
      line.clear();
      write();
    },
    say: ignore,
    end: () => {
      line.end();
      keys.restore();
    },
  };
}

/** The live view from the first attempt on, with lines before it, while a question may follow, and after `q`. */
function wholeScreen(
  session: Session,
  { root, project, runId }: Omit<WatchedPlace, "log">,
  { open: openView, options }: WholeView,
): StatusView {
  const held: (() => void)[] = [];
  let view: LiveView | undefined;
  let isLeft = false;
  const lines = liveLine(session, root, () => view !== undefined);
  const onLeave = (): void => {
    isLeft ||= view !== undefined;
    view = undefined;
    for (const write of held.splice(0)) lines.print(write);
  };
  const leave = (): void => {
    const open = view;
    view = undefined;
    open?.leave();
  };
  return {
    update: (event) => {
      if (fieldsOf(event, "baseline.finished")?.passed === false) leave();
      if (!view && !isLeft && event.type === "iteration.started") {
        lines.rest();
        view = openView(session, project, { options, runId, endings: ["SIGQUIT"], onLeave });
      }
      lines.update(event);
    },
    print: (write) => void (view ? held.push(write) : lines.print(write)),
    say: (text) => view?.say(text),
    end: () => {
      leave();
      lines.end();
    },
  };
}

const tickMs = 1000;

function pulse(session: Session, root: string): StatusView {
  const beat = createHeartbeat({ now: () => Date.now(), print: session.out }, root);
  const timer = setInterval(beat.tick, tickMs);
  timer.unref();
  return {
    update: beat.update,
    print: (write) => {
      beat.printed();
      write();
    },
    say: ignore,
    end: () => clearInterval(timer),
  };
}
