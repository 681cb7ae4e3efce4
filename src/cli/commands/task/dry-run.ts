import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProject } from "../../../config/find-project.ts";
import { openStore } from "../../../store/open-store.ts";
import type { Db } from "../../../store/port/db.ts";
import { isPostgresUrl } from "../../../store/port/is-postgres-url.ts";
import { storePath } from "../../project/store-path.ts";
import type { Session } from "../../shell/command.ts";

/**
 * Tries the first write of a project without a store on a temporary store, so that a failed write does not leave a new
 * store behind. Does nothing when the project has a store.
 */
export async function dryRunWrite(
  session: Session,
  write: (place: { readonly db: Db; readonly root: string }) => Promise<unknown>,
): Promise<void> {
  const root = await projectWithoutStore(session);
  if (root === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), "ralph-first-"));
  try {
    const db = await openStore({ path: join(folder, "progress.db") });
    await write({ db, root }).finally(() => db.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the root of a project that has no store yet; undefined when it has one, or outside a project. */
export async function projectWithoutStore(session: Session): Promise<string | undefined> {
  const root = findProject(session.cwd)?.root;
  if (root === undefined) return undefined;
  const loaded = await session.loadSettings();
  const path = storePath(root, loaded);
  return isPostgresUrl(path) || existsSync(path) ? undefined : root;
}
