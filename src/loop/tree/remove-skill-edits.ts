import { count } from "../../base/text.ts";
import { skillFolders } from "../../memory/skill-actions.ts";
import { rollbackRef, salvage } from "../../workspace/salvage.ts";
import { position } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import { readWorkspaceState, writeWorkspaceState } from "./workspace-state-store.ts";

/**
 * Removes what the agent of a killed run left uncommitted in the folders of skills (LOOP-18): the snapshot that would
 * restore them died with the run. It is saved under a rollback ref; a person's later edits are no leftovers and stay.
 * Returns a warning if there was any.
 */
export async function removeSkillEdits(
  loop: Pick<Loop, "db" | "log" | "options" | "workspace">,
): Promise<readonly string[]> {
  const state = await readWorkspaceState(loop.db);
  if (state.kind !== "left") return [];
  const folders = skillFolders(loop.options.skills);
  const paths = state.leftover.filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  const { hash: startHead } = await position(loop.workspace);
  if (paths.length === 0 || startHead === null) return [];
  const message = "ralph: changes of skills that the agent of a killed run made";
  const saved = await salvage(loop.workspace, { ref: rollbackRef(startHead), paths, startHead, message });
  const gone = new Set(paths);
  const leftover = state.leftover.filter((path) => !gone.has(path));
  await commit(loop, (tx) => writeWorkspaceState(tx, { ...state, leftover }));
  const [first = ""] = paths;
  const what = paths.length === 1 ? first : `${count(paths.length, "file")} of skills, such as ${first},`;
  return [
    `put back ${what} which a killed iteration's agent had changed${saved ? `; its version is in ${saved.ref}` : ""}`,
  ];
}
