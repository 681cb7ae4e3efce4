import { join } from "node:path";
import { newId } from "../../base/ids.ts";
import { safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import { verifyProject } from "../../loop/rows/verify-project.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import type { Project, Session } from "../shell/command.ts";
import { listenForStop } from "../shell/stop-signals.ts";
import { requireApproval } from "../trust/approval.ts";
import { confinementOf } from "../trust/confinement.ts";

/**
 * Runs the project's verification on the tree as it is. A tree that passes is remembered.
 *
 * @throws RalphError `RALPH_TRUST_NOT_APPROVED`, `RALPH_GIT_*`
 */
export async function verifyOnce(
  session: Session,
  project: Project,
  onStart: (command: string) => void,
): Promise<readonly CheckResult[]> {
  await requireApproval(session, project, { withTasks: false });
  const { settings } = project.loaded;
  const env = childEnvironment();
  const notify = () => session.note(safe`stopping the verification`);
  const signals = listenForStop({ notify, leave: () => undefined });
  try {
    const workspace = await openWorkspace(project.root, env, {
      needCommit: false,
      recordsDir: settings.learnings.dir,
      scope: settings.scope,
    });
    const marker = newId("verify", 5);
    return await verifyProject(
      {
        ...{ db: project.db, log: project.log, clock: session.clock, root: project.root, env },
        folder: join(project.root, ".ralph"),
        workspace,
        ...(await confinementOf(project, workspace)),
        options: { verify: settings.verify ?? [] },
      },
      { ...{ marker, signal: signals.stop, remainingMs: null }, remember: true, onStart },
    );
  } finally {
    if (signals.stop.aborted) await project.close();
    signals.reraise();
    signals.dispose();
  }
}
