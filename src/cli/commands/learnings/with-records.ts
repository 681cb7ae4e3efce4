import { openRecordActions, type RecordActions } from "../../../memory/record-actions.ts";
import { type Project, type Session, withProject } from "../../shell/command.ts";

/** Opens the project and its records, runs `work` and closes the project. */
export async function withRecords<T>(
  session: Session,
  { create = false }: { readonly create?: boolean },
  work: (actions: RecordActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, { create }, async (project) => {
    return await work(openRecordActions({ db: project.db, now: () => session.clock.now() }), project);
  });
}
