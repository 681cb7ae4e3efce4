import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { noteLines, notesOfSession } from "../../memory/note-actions.ts";
import { storedText } from "../../trust/stored-text.ts";
import { painter, type Style } from "../../ui/paint.ts";
import type { Screen, Session } from "../shell/command.ts";
import type { PreparedRun } from "./prepare-run.ts";

const styles = { stuck: "bad", learning: "good", tip: "info", decision: "warn" } as const satisfies Record<
  string,
  Style
>;

/** Draws notes grouped by type, each type in its colour (NOTE-4). */
export function drawNotes(
  notes: Parameters<typeof noteLines>[0],
  { colour }: Pick<Screen, "colour">,
): readonly SafeText[] {
  const paint = painter(colour);
  return noteLines(notes).flatMap(({ type, title, lines }) => [
    paint(styles[type], safe`${storedText(title)}:`),
    ...lines.map((line) => paint(styles[type], storedText(line))),
  ]);
}

const shownAtStart = 20;

/** Shows the session's newest notes when a run starts; nothing with `--json` or `--quiet`. */
export async function showNotes(session: Session, { db, noteSession }: PreparedRun): Promise<void> {
  if (session.json || session.quiet) return;
  const notes = await notesOfSession(db, noteSession, shownAtStart);
  if (notes.length > 0)
    session.out(joinSafe([safe`Session notes`, ...drawNotes(notes, session.screen)], "\n"));
}
