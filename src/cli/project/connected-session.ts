import { existsSync } from "node:fs";
import { join } from "node:path";
import { readEnv } from "../../config/environment.ts";
import { findProjectWithStore } from "../../config/find-project.ts";

/**
 * Returns true if a session in `cwd` is one that `ralph connect` serves: in a project that ralph knows, and not the agent of an
 * iteration, which has its memory and tools from the loop.
 */
export function isConnectedSession(cwd: string): boolean {
  if (readEnv("RALPH_TASK_ID")) return false;
  const found = findProjectWithStore(cwd);
  return found !== undefined && existsSync(join(found.root, ".ralph"));
}
