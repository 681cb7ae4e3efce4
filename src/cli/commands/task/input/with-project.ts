import type { Project, Session } from "../../../shell/command.ts";

/** Opens the project, runs `work` and closes it, which also flushes the events of its writes. */
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
