import { join } from "node:path";
import { lookAt } from "../base/careful-files.ts";
import { readEnv } from "./environment.ts";

/**
 * Returns the project's `.ralph` or `.git` if it belongs to another user, who could have put it there for this one to find.
 * Under sudo, the user who called it counts as this one, as for git. Undefined on Windows.
 */
export function foreignFolder(root: string): string | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  const caller = own === 0 ? readEnv("SUDO_UID") : undefined;
  return [".ralph", ".git"]
    .map((name) => join(root, name))
    .find((path) => {
      const uid = lookAt(path)?.uid;
      return uid !== undefined && uid !== own && String(uid) !== caller;
    });
}
