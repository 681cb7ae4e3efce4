import { RalphError } from "../../base/errors.ts";
import { shellWord } from "../../base/text.ts";
import { childEnvironment } from "../../config/environment.ts";
import { foreignFolder } from "../../config/find-project.ts";
import { isSafeDirectory } from "../../workspace/open-workspace.ts";

/**
 * Refuses a project whose `.ralph` or `.git` belongs to another user, unless git's `safe.directory` names it.
 *
 * @throws RalphError `RALPH_TRUST_OWNER`
 */
export async function refuseForeign(root: string): Promise<void> {
  const path = foreignFolder(root);
  if (path === undefined) return;
  if (await isSafeDirectory(root, childEnvironment())) return;
  throw new RalphError(
    "RALPH_TRUST_OWNER",
    `${path} belongs to another user: ralph does not use the project`,
    { hint: `if you trust that user: git config --global --add safe.directory ${shellWord(root)}` },
  );
}
