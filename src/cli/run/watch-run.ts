import { joinSafe, type SafeText } from "../../base/safe-text.ts";
import type { EventLog } from "../../events/event-log.ts";
import { storedJson } from "../../trust/stored-text.ts";
import { createLiveLine } from "../../ui/live-line.ts";
import { createPlainRenderer } from "../../ui/plain.ts";
import type { Session } from "../shell/command.ts";
import { summaryColumns } from "../shell/session.ts";

interface WatchedRun {
  /** Prints a line for people above the status line. */
  readonly notify: (text: SafeText) => void;
  /** Ends the status line. Later events, such as a hook that fails after the end, are still printed. */
  end(): void;
  /** Stops printing events, because another run may follow in this process. */
  close(): void;
}

/**
 * Prints a run's events: one JSON line each with `--json`, otherwise lines for people, with a live status line below
 * them on a terminal. Without `hints`, the end suggests no next command.
 */
export function watchRun(
  session: Session,
  log: EventLog,
  { hints }: { readonly hints: boolean },
): WatchedRun {
  if (session.json) {
    const stop = log.subscribe(({ rows: _, ...event }) => session.out(storedJson(event)));
    return { end: stop, close: stop, notify: session.note };
  }
  const { screen } = session;
  const live = screen.noteIsTerminal && !session.quiet ? createLiveLine(screen) : undefined;
  const render = createPlainRenderer({
    colour: screen.colour,
    verbose: session.verbose,
    quiet: session.quiet,
    columns: summaryColumns(screen),
    hints,
  });
  let ended = false;
  const unsubscribe = log.subscribe((event) => {
    const lines = render(event);
    if (lines.length > 0) {
      live?.clear();
      session.out(joinSafe(lines, "\n"));
    }
    if (!ended) live?.update(event);
  });
  return {
    notify: (text) => {
      live?.clear();
      session.note(text);
    },
    end: () => {
      ended = true;
      live?.end();
    },
    close: unsubscribe,
  };
}
