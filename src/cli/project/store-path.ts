import { isAbsolute, relative, resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { defaultStore } from "../../config/default-store.ts";
import type { LoadedSettings } from "../../config/settings.ts";

/**
 * Where the project's store is; `loaded` null: the settings cannot be read. A cloned repository must not have its
 * visitor's other databases opened, or made, by a line in its configuration: what the project's own file names lies
 * in the project.
 *
 * @throws RalphError `RALPH_CONFIG_STORE_OUTSIDE`
 */
export function storePath(root: string, loaded: LoadedSettings | null): string {
  const path = resolve(root, loaded?.settings.store ?? defaultStore);
  const file = loaded?.projectFile ?? null;
  if (loaded === null || file === null || loaded.origins["store"] !== file.path) return path;
  const inside = relative(root, path);
  if (inside !== "" && !inside.startsWith("..") && !isAbsolute(inside)) return path;
  throw new RalphError("RALPH_CONFIG_STORE_OUTSIDE", `${file.path}: store ${path} is outside the project`, {
    hint: "keep it in .ralph, or set it in your own configuration or in RALPH_STORE",
  });
}
