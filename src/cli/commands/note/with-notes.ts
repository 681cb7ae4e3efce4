import { type NoteActions, openNoteActions } from "../../../memory/note-actions.ts";
import { currentSession } from "../../project/session-name.ts";
import { type Invocation, type Session, withProject } from "../../shell/command.ts";

/** Opens the project and the notes of its session for `work`, and closes it afterwards. */
export async function withNotes(
  session: Session,
  { options }: Pick<Invocation, "options">,
  work: (notes: NoteActions) => Promise<void>,
): Promise<void> {
  return withProject(session, { create: true }, async (project) => {
    const { db, root } = project;
    const name = await currentSession(db, root, options);
    const { iteration } = session;
    await work(await openNoteActions({ db, session: name, iteration, now: () => session.clock.now() }));
  });
}
