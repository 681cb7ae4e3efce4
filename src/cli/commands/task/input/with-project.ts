import type { Project, Session } from "../../../shell/command.ts";

/** Opens the project for `work` and closes it after, which also lets the events of what was written go out. */
export async function withProject<T>(
  session: Session,
  options: { readonly create?: boolean },
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const project = await session.openProject(options);
  try {
    return await work(project);
  } finally {
    await project.close();
  }
}
