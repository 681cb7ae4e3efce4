import type { Project, Session } from "../../../shell/command.ts";

export interface Opening {
  readonly create?: boolean;
}

/** Opens the project, runs `work` and closes the project. */
export async function withProject<T>(
  session: Session,
  { create = false }: Opening,
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const project = await session.openProject({ create });
  try {
    return await work(project);
  } finally {
    await project.close();
  }
}
