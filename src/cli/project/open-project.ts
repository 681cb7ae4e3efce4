import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import { directories } from "../../config/directories.ts";
import { findProject, outerProject } from "../../config/find-project.ts";
import { openEventLog } from "../../events/event-log.ts";
import { ensureIndex } from "../../memory/repair-index.ts";
import { hasProjectKey, openProjectKey, type ProjectKey } from "../../trust/project-key.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { Project, Session } from "../shell/command.ts";
import { refuseForeign } from "../trust/refuse-foreign.ts";
import { copyFound } from "./after-kill/found-files.ts";
import { openProjectStore } from "./after-kill/rebuild-store.ts";
import { isRemoved, removedError, setCopyAside } from "./after-kill/removed-store.ts";
import { isStoreReplaced } from "./after-kill/replaced-store.ts";
import { revertAfterKill } from "./after-kill/revert-rows.ts";
import { preparePrivateFolder } from "./private-folder.ts";
import { storePath } from "./store-path.ts";

/**
 * Opens the project around the session's folder: settings, store and event log.
 *
 * @throws RalphError `RALPH_PROJECT_MISSING` outside a project, `RALPH_TRUST_OWNER`, `RALPH_CONFIG_*`,
 * `RALPH_STORE_*`.
 */
export async function openProject(
  session: Session,
  wanted: { readonly create?: boolean; readonly flags?: Readonly<Record<string, string>> },
): Promise<Project> {
  const found = findProject(session.cwd);
  if (!found) {
    throw new RalphError(
      "RALPH_PROJECT_MISSING",
      `no project at ${session.cwd}: neither .ralph nor a git repository found`,
      {
        hint: "run `git init`, then `ralph init`",
      },
    );
  }
  await refuseForeign(found.root);
  const loaded = await session.loadSettings(wanted.flags ?? {});
  const path = storePath(found.root, loaded);
  if (!wanted.create) warnOfCopy(session, found.root);
  if (wanted.create) await preparePrivateFolder(found.root);
  const history = join(found.root, ".ralph", "events.jsonl");
  const key = projectKey(found.root);
  const options = { path, history, create: wanted.create ?? false, seal: key };
  if (isRemoved({ path, history, key })) beginNewHistory(session, { path, history, key }, options.create);
  const isReplaced = isStoreReplaced(key, path);
  const keptIn = isReplaced ? copyFound(found.root, path) : null;
  const { db, warnings } = await openProjectStore(options, { root: found.root, key, isReplaced });
  await ensureIndex(db).catch(() => undefined);
  const log = openEventLog({ db, file: history, clock: session.clock, heads: key });
  const reverted = await revertAfterKill(session, { root: found.root, db, log, key, isReplaced, keptIn });
  const restored = [...warnings, ...reverted];
  for (const warning of restored) session.note(safe`warning: ${warning}`);
  let closing: Promise<void> | undefined;
  return {
    root: found.root,
    db,
    log,
    loaded,
    restored,
    close: async () => {
      if (closing !== undefined) return closing.catch(() => undefined);
      closing = log
        .flush()
        .then(() => log.head.keep())
        .finally(() => db.close());
      await closing;
    },
  };
}

/** Lets a command that may create the store begin a new history, and keeps that of the removed one. */
function beginNewHistory(session: Session, place: Parameters<typeof isRemoved>[0], create: boolean): void {
  if (!create) throw removedError(place);
  const kept = setCopyAside(place, session.clock.now());
  if (kept === null) return;
  session.note(
    safe`note: ralph was used here before; the event log of the removed .ralph is kept in ${safeLine(kept)}`,
  );
}

/** An agent that copies `.ralph` to another folder can set all tasks to done in the copy. */
function warnOfCopy(session: Session, root: string): void {
  const outer = outerProject(root);
  if (outer === undefined || hasProjectKey(stateFolder(), root)) return;
  const [here, above] = [safeLine(root), safeLine(outer)];
  session.note(
    safe`warning: ${here} is a project inside of ${above} that you have not used before: an agent may have made it`,
  );
}

function stateFolder(): string {
  return join(directories().state, "ralph");
}

/** Returns the key of the project at `root` and the head of its event log, which are in the user's state folder. */
export function projectKey(root: string): ProjectKey {
  return openProjectKey(stateFolder(), root);
}
