import { join } from "node:path";
import { messageOf, RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import { findProject, findProjectWithStore } from "../../config/find-project.ts";
import { openEventLog } from "../../events/event-log.ts";
import { ensureIndex } from "../../memory/repair-index.ts";
import { openStore } from "../../store/open-store.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { Opening, Project, Session } from "../shell/command.ts";
import { refuseForeign } from "../trust/refuse-foreign.ts";
import { preparePrivateFolder } from "./private-folder.ts";
import { backupFolder, storePath } from "./store-path.ts";

const weekMs = 604_800_000;
const waitNote =
  "warning: the store's server cannot be reached: agents continue, nothing new starts until it is back";

/**
 * Opens the project around the session's folder: settings, store and event log.
 *
 * @throws RalphError `RALPH_PROJECT_MISSING` outside a project, `RALPH_TRUST_OWNER`, `RALPH_CONFIG_*`,
 * `RALPH_STORE_*`.
 */
export async function openProject(session: Session, wanted: Opening): Promise<Project> {
  const found = wanted.own ? findProject(session.cwd) : findProjectWithStore(session.cwd);
  if (!found) {
    throw new RalphError(
      "RALPH_PROJECT_MISSING",
      `no project at ${session.cwd}: neither .ralph nor a git repository found`,
      { hint: "run `git init`, then `ralph init`" },
    );
  }
  await refuseForeign(found.root);
  const { root } = found;
  const loaded = await session.loadSettings(wanted.flags ?? {}, root);
  const path = storePath(root, loaded);
  if (wanted.create) await preparePrivateFolder(root);
  const backups = backupFolder(root, path);
  let isWaiting = false;
  const onWait = (error: unknown): void => {
    isWaiting = error !== null;
    session.note(isWaiting ? waitNote : "the store's server is back: the run continues");
  };
  const waits = wanted.patient ? { waitMs: weekMs, onWait } : {};
  const db = await openStore({ path, root, backups, create: wanted.create ?? false, ...waits });
  await ensureIndex(db).catch(() => undefined);
  const log = openEventLog({
    ...{ db, file: join(root, ".ralph", "events.jsonl"), clock: session.clock },
    onFailure: (error) => session.note(safe`warning: ${safeLine(messageOf(error), 500)}`),
  });
  let closing: Promise<void> | undefined;
  return {
    root,
    db,
    log,
    loaded,
    isWaiting: () => isWaiting,
    close: () => {
      closing ??= log.flush().finally(() => db.close());
      return closing;
    },
  };
}
