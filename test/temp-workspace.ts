import { startToolShell, type ToolShell } from "../src/process/tool-shell.ts";
import type { Workspace } from "../src/workspace/git/workspace.ts";
import { openWorkspace } from "../src/workspace/open-workspace.ts";

let shell: ToolShell | undefined;

/**
 * Opens the work tree as a run does, which starts git by a shell: a fork of a process with all modules of the tests takes
 * longer than git itself. All tests of this process share the shell.
 */
export async function openRunWorkspace(...opened: Parameters<typeof openWorkspace>): Promise<Workspace> {
  const ws = await openWorkspace(...opened);
  shell ??= startToolShell(ws.env);
  return { ...ws, shell };
}
