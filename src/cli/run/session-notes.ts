import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { attemptsOfSession, noteLines, notesOfSession } from "../../memory/note-actions.ts";
import { storedLine, storedText } from "../../trust/stored-text.ts";
import { painter, type Style } from "../../ui/paint.ts";
import type { Screen, Session } from "../shell/command.ts";
import type { PreparedRun } from "./prepare-run.ts";

const styles = { stuck: "bad", learning: "good", tip: "info", decision: "warn" } as const satisfies Record<
  string,
  Style
>;

/** Draws notes grouped by type, each type in its colour (NOTE-4). */
export function renderSessionNotes(
  notes: Parameters<typeof noteLines>[0],
  { colour }: Pick<Screen, "colour">,
): readonly SafeText[] {
  const paint = painter(colour);
  return noteLines(notes).flatMap(({ type, title, lines }) => [
    paint(styles[type], safe`${storedText(title)}:`),
    ...lines.map((line) => paint(styles[type], storedText(line))),
  ]);
}

const maxNotes = 20;
const maxAttempts = 5;
const reasonChars = 100;

/** Shows the newest attempts and notes of the session when a run starts (NOTE-4); nothing with `--json` or `--quiet`. */
export async function showSession(session: Session, { db, noteSession }: PreparedRun): Promise<void> {
  if (session.json || session.quiet) return;
  const notes = await notesOfSession(db, noteSession, maxNotes);
  if (notes.length === 0) return;
  const attempts = (await attemptsOfSession(db, noteSession, maxAttempts)).map(
    ({ number, taskId, attempt, outcome, reason }) => {
      const why = reason === null ? safe`` : safe` (${storedLine(reason, reasonChars)})`;
      return safe`  #${number} ${storedLine(taskId)} attempt ${attempt}: ${storedLine(outcome)}${why}`;
    },
  );
  const history = attempts.length > 0 ? [safe`Session history`, ...attempts] : [];
  session.out(
    joinSafe([...history, safe`Session notes`, ...renderSessionNotes(notes, session.screen)], "\n"),
  );
}
