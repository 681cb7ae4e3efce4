import { safe } from "../../../base/safe-text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { storedLine } from "../../../trust/stored-text.ts";
import { status } from "../../../workspace/git/status.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";
import type { Session } from "../../shell/command.ts";

/** Prints the changed task files (relative to `root`), and those that keep a run from starting until they are committed. */
export async function noteTicks(
  session: Session,
  root: string,
  { verb, paths }: { readonly verb: "ticked" | "unticked"; readonly paths: readonly string[] },
): Promise<void> {
  if (paths.length === 0) return;
  for (const path of paths) session.note(safe`${verb} in ${storedLine(path, 200)}`);
  const tracked = await trackedChanges(root);
  const named = paths.filter((path) => tracked.includes(path)).join(", ");
  if (named) session.note(safe`hint: commit ${storedLine(named, 200)} before the next run`);
}

/** Returns none outside git, where nothing has to be committed. */
async function trackedChanges(root: string): Promise<readonly string[]> {
  try {
    return (await status(await openWorkspace(root, childEnvironment(), { needCommit: false }))).tracked;
  } catch {
    return [];
  }
}
