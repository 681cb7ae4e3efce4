import { type MemoryActions, openMemoryActions } from "../../../memory/memory-actions.ts";
import { hivemindOf } from "../../project/hivemind-of.ts";
import { type Project, type Session, withProject } from "../../shell/command.ts";

/** Opens the project and its memory of every kind, runs `work` and closes the project. */
export async function withMemoryActions<T>(
  session: Session,
  work: (actions: MemoryActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, {}, (project) => work(memoryActions(session, project), project));
}

/** Opens the memory of every kind of an open project. */
export function memoryActions(session: Session, project: Project): MemoryActions {
  const { root, db, loaded } = project;
  const hivemind = hivemindOf(project);
  const recordsDir = loaded.settings.learnings.dir;
  return openMemoryActions({
    db,
    recordFiles: { root, recordsDir, hivemind: hivemind?.path ?? null },
    now: () => session.clock.now(),
    hivemind,
  });
}
