import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { RalphEvent } from "../../../events/event.ts";
import { openEventReader } from "../../../events/read-events.ts";
import { storedJson } from "../../../trust/stored-text.ts";
import { eventLine } from "../../../ui/event-line.ts";
import type { CommandSpec, OptionValue, Session } from "../../shell/command.ts";
import { usageError } from "../../shell/io.ts";

const pollMs = 250;
/** The number of past events that a follower sees. */
const lastFollowed = 10;
/** A few screens. */
const lastOnTerminal = 100;

/** `ralph events`: the event log, and what is added to it (CTX-2). */
export const command: CommandSpec = {
  description:
    "Prints the events of .ralph/events.jsonl, oldest first. A type may contain * for any text. With --follow, prints new events as they are logged until you press Ctrl-C. On a terminal, the newest 100 are shown.",
  examples: [
    "ralph events --last 20",
    "ralph events --follow --type 'story_*' --type 'iteration.*'",
    "ralph events --json --type iteration.finished",
  ],
  options: [
    { flags: "--follow", description: "wait for new events and print them" },
    { flags: "--type <type>", description: "show events of this type (repeatable)", multiple: true },
    { flags: "--last <n>", description: "show the newest n events" },
  ],
  run: async (session, { options }) => {
    const follows = options["follow"] === true;
    const last = lastOf(session, options["last"], follows);
    const project = await session.openProject();
    // Closing it wrote the events of a killed process. The store is not held open.
    await project.close();
    const types = Array.isArray(options["type"]) ? options["type"] : [];
    const reader = openEventReader(join(project.root, ".ralph", "events.jsonl"), types);
    const found = reader.next(last);
    print(session, found);
    if (found.length === 0 && !follows) session.note(nothingFound(types));
    if (follows) await follow(() => print(session, reader.next()));
  },
};

function nothingFound(types: readonly string[]): SafeText {
  return types.length === 0
    ? safe`no events yet; hint: run \`ralph run\``
    : safe`no event matches --type; hint: run \`ralph events\` to see which types there are`;
}

/** Calls `step` again and again, until its output cannot be written: `ralph events --follow | head`. */
async function follow(step: () => void): Promise<void> {
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
  };
  process.stdout.once("error", close);
  while (!isClosed) {
    await after(pollMs);
    step();
  }
  process.stdout.removeListener("error", close);
}

function print(session: Session, found: readonly RalphEvent[]): void {
  for (const event of found) session.out(session.json ? storedJson(event) : eventLine(event));
}

function lastOf(session: Session, typed: OptionValue, follows: boolean): number {
  if (typeof typed === "string") {
    if (/^\d{1,9}$/.test(typed)) return Number(typed);
    throw usageError(
      `invalid --last ${JSON.stringify(typed)}: expected a non-negative integer`,
      "leave it out to show all events",
    );
  }
  if (follows) return lastFollowed;
  return session.screen.outIsTerminal && !session.json ? lastOnTerminal : Number.POSITIVE_INFINITY;
}
