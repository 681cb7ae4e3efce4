import { type NoteActions, openNoteActions } from "../../../memory/note-actions.ts";
import { currentSession } from "../../project/session-name.ts";
import type { Invocation, Session } from "../../shell/command.ts";

/** Opens the project and the notes of its session for `work`, and closes it afterwards. */
export async function withNotes(
  session: Session,
  { options }: Pick<Invocation, "options">,
  work: (notes: NoteActions) => Promise<void>,
): Promise<number> {
  const project = await session.openProject({ create: true });
  try {
    const { db, root } = project;
    const name = await currentSession(db, root, options);
    const { iteration } = session;
    await work(await openNoteActions({ db, session: name, iteration, now: () => session.clock.now() }));
    return 0;
  } finally {
    await project.close();
  }
}
