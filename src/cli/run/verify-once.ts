import { join } from "node:path";
import { ownerIsAlive } from "../../agents/supervision.ts";
import { newId } from "../../base/ids.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import { openRuns } from "../../loop/run-store.ts";
import { guardCommand, verifyProject } from "../../loop/verify-project.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { currentIteration } from "../project/current-iteration.ts";
import type { Project, Session } from "../shell/command.ts";
import { requireApproval } from "../trust/approval.ts";
import { confinementOf } from "../trust/confinement.ts";
import { listenForStop } from "./stop-signals.ts";

interface Watcher {
  readonly onStart: (command: string) => void;
  /** Called with what the verification changed that is not its business. */
  readonly onChanged: (warning: SafeText) => void;
}

/**
 * Runs the project's verification on the tree as it is. A tree that passes is remembered, except inside an iteration,
 * where its changes are not judged yet.
 *
 * @throws RalphError `RALPH_TRUST_NOT_APPROVED`, `RALPH_GIT_*`
 */
export async function verifyOnce(
  session: Session,
  project: Project,
  { onStart, onChanged }: Watcher,
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
    });
    const isPerson = (await currentIteration(project.db)) === null;
    const marker = newId("verify", 5);
    return await verifyProject(
      {
        ...{ db: project.db, log: project.log, clock: session.clock, root: project.root, env },
        folder: join(project.root, ".ralph"),
        workspace,
        ...(await confinementOf(project, workspace)),
        options: { verify: settings.verify ?? [] },
      },
      {
        ...{ marker, signal: signals.stop, remainingMs: null, runId: null },
        remember: isPerson,
        // What an agent's verification changes, its iteration undoes.
        around: isPerson ? aroundCommand(session, project, { workspace, marker, onChanged }) : (run) => run(),
        onStart,
      },
    );
  } finally {
    if (signals.stop.aborted) await project.close();
    signals.reraise();
    signals.dispose();
  }
}

function aroundCommand(
  { clock }: Session,
  { db, log, loaded }: Project,
  watched: Pick<Watcher, "onChanged"> & { readonly workspace: Workspace; readonly marker: string },
): <T>(run: () => Promise<T>) => Promise<T> {
  const { workspace, marker, onChanged } = watched;
  const isRunActive = async (): Promise<boolean> => {
    const holder = log.head.holder();
    if (holder === null || !ownerIsAlive(holder.owner)) return false;
    return (await openRuns(db)).some(({ id }) => id === holder.runId);
  };
  const report = (warnings: readonly string[]) => {
    for (const warning of warnings) onChanged(safe`warning: ${safeLine(warning, 300)}`);
  };
  const guardsIndex = loaded.settings.verifyGuard === "clean";
  const stored = { db, log, clock, marker };
  const around = { workspace, stored, guardsIndex, isRunActive, onChanged: report };
  return (run) => guardCommand(around, run);
}
