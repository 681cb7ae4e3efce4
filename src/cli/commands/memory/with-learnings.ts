import { type LearningActions, openLearningActions } from "../../../memory/learning-actions.ts";
import { type Opening, type Project, type Session, withProject } from "../../shell/command.ts";

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
