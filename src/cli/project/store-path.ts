import { realpathSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { RalphError, systemCode } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { directories } from "../../config/directories.ts";
import { storeUrl } from "../../config/environment.ts";
import { defaultStore } from "../../config/find-project.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { isPostgresUrl } from "../../store/port/is-postgres-url.ts";

/**
 * Returns the path of the project's store, or the address of the server in RALPH_STORE_URL; `loaded` is null when the settings cannot be read. A path from the project's
 * own file must be inside the project, so that a cloned repository cannot open or create databases elsewhere.
 *
 * @throws RalphError `RALPH_CONFIG_STORE_OUTSIDE`, `RALPH_CONFIG_STORE_URL`
 */
export function storePath(root: string, loaded: LoadedSettings | null): string {
  const url = storeUrl();
  return url === undefined ? storeFile(root, loaded) : serverAddress(url);
}

/** As `storePath`, of a store in a file, whatever RALPH_STORE_URL says. */
export function storeFile(root: string, loaded: LoadedSettings | null): string {
  const path = resolve(root, loaded?.settings.store ?? defaultStore);
  const file = loaded?.projectFile ?? null;
  if (loaded === null || file === null || loaded.origins["store"] !== file.path) return path;
  const inside = relative(root, path);
  if (inside !== "" && !inside.startsWith("..") && !isAbsolute(inside)) return path;
  throw new RalphError(
    "RALPH_CONFIG_STORE_OUTSIDE",
    `invalid store in ${file.path}: ${path} is outside the project`,
    { hint: "use a path in .ralph, or set it in your own configuration or in RALPH_STORE" },
  );
}

/** @throws RalphError `RALPH_CONFIG_STORE_URL` */
export function serverAddress(url: string): string {
  if (isPostgresUrl(url)) return url;
  throw new RalphError(
    "RALPH_CONFIG_STORE_URL",
    "RALPH_STORE_URL is not the address of a PostgreSQL server",
    {
      hint: "write postgres://user@host:5432/database?schema=shop; a file is set as `store` in .ralph/config.yaml",
    },
  );
}

/** Returns the folder in the user's state for the backups of the store at `path`, which need not exist. */
export function backupFolder(root: string, path: string): string {
  const project = realPath(root);
  const store = join(project, relative(root, path));
  const name = basename(project)
    .replace(/[^\w.-]/g, "_")
    .slice(0, 40);
  return join(directories().state, "ralph", "backups", `${name}-${sha256(store).slice(0, 16)}`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path;
  }
}
