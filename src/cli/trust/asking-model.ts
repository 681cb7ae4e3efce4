import type { Confinement } from "../../agents/port/confinement.ts";
import type { Project, Session } from "../shell/command.ts";
import { listenForStop } from "../shell/stop-signals.ts";
import { requireApproval } from "./approval.ts";
import { confinementOf } from "./confinement.ts";

/**
 * Runs `work`, in which a command asks a model. A signal ends the agent.
 *
 * @throws RalphError `RALPH_TRUST_NOT_APPROVED`
 */
export async function askingModel<T>(
  session: Session,
  project: Project,
  work: (place: Confinement & { readonly root: string }, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await requireApproval(session, project);
  const confinement = await confinementOf(project);
  const signals = listenForStop({
    notify: () => session.note("stopping the agent"),
    leave: () => undefined,
  });
  try {
    return await work({ root: project.root, ...confinement }, signals.stop);
  } finally {
    signals.reraise();
    signals.dispose();
  }
}
