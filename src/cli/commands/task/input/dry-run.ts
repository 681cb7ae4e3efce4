import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProject } from "../../../../config/find-project.ts";
import type { Db } from "../../../../store/db.ts";
import { openStore } from "../../../../store/open-store.ts";
import { storePath } from "../../../project/store-path.ts";
import type { Session } from "../../../shell/command.ts";

/**
 * Tries the first write of a project without a store on one that is thrown away, so that a write which fails leaves no
 * new store behind. Does nothing where there is a store.
 */
export async function dryRunWrite(
  session: Session,
  write: (place: { readonly db: Db; readonly root: string }) => Promise<unknown>,
): Promise<void> {
  const root = await projectWithoutStore(session);
  if (root === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), "ralph-first-"));
  try {
    const db = await openStore({ path: join(folder, "progress.db"), history: null });
    await write({ db, root }).finally(() => db.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The root of a project whose store the next write makes; undefined: there is one, or no project. */
export async function projectWithoutStore(session: Session): Promise<string | undefined> {
  const root = findProject(session.cwd)?.root;
  if (root === undefined) return undefined;
  const loaded = await session.loadSettings();
  return existsSync(storePath(root, loaded)) ? undefined : root;
}
