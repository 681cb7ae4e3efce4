import { openHivemindActions } from "../../../memory/hivemind-actions.ts";
import { type LearningActions, openLearningActions } from "../../../memory/learning-actions.ts";
import { type MemoryActions, openMemoryActions } from "../../../memory/memory-actions.ts";
import { hivemindOf, requireHivemind } from "../../project/hivemind-of.ts";
import { type Opening, type Project, type Session, withProject } from "../../shell/command.ts";

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

/** Opens the project and its learnings, runs `work` and closes the project. */
export async function withLearningActions<T>(
  session: Session,
  opening: Opening,
  work: (actions: LearningActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, opening, (project) => work(learningActions(session, project), project));
}

/** Opens the learnings of an open project. */
export function learningActions(session: Session, project: Project): LearningActions {
  return openLearningActions({ ...project, now: () => session.clock.now() });
}

/**
 * Opens the actions on the memory that projects share.
 *
 * @throws RalphError `RALPH_HIVEMIND_OFF`
 */
export async function hivemindActions(
  session: Session,
  project: Project,
): Promise<Awaited<ReturnType<typeof openHivemindActions>>> {
  return openHivemindActions({
    db: project.db,
    hivemind: requireHivemind(project),
    now: () => session.clock.now(),
  });
}
