import { isAbsolute, relative, resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { defaultStore } from "../../config/default-store.ts";
import type { LoadedSettings } from "../../config/settings.ts";

/**
 * Returns the path of the project's store; `loaded` is null when the settings cannot be read. A path from the project's
 * own file must be inside the project, so that a cloned repository cannot open or create databases elsewhere.
 *
 * @throws RalphError `RALPH_CONFIG_STORE_OUTSIDE`
 */
export function storePath(root: string, loaded: LoadedSettings | null): string {
  const path = resolve(root, loaded?.settings.store ?? defaultStore);
  const file = loaded?.projectFile ?? null;
  if (loaded === null || file === null || loaded.origins["store"] !== file.path) return path;
  const inside = relative(root, path);
  if (inside !== "" && !inside.startsWith("..") && !isAbsolute(inside)) return path;
  throw new RalphError(
    "RALPH_CONFIG_STORE_OUTSIDE",
    `invalid store in ${file.path}: ${path} is outside the project`,
    {
      hint: "use a path in .ralph, or set it in your own configuration or in RALPH_STORE",
    },
  );
}
