import { join } from "node:path";
import type { Workspace } from "../workspace.ts";
import { git } from "./git.ts";
import { lookAt } from "./paths.ts";

/** What git keeps in its folder during an operation of several steps, and the command it belongs to. */
const unfinished: readonly (readonly [file: string, command: string])[] = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
];

/** The operation that is in progress, if one is. */
export async function operationInProgress(ws: Workspace): Promise<string | undefined> {
  const there = await Promise.all(unfinished.map(([file]) => lookAt(join(ws.gitDir, file))));
  return unfinished.find((_, index) => there[index])?.[1];
}

/** Makes git forget an unfinished operation; no file, branch or index entry changes. */
export async function endOperations(ws: Workspace): Promise<void> {
  const command = await operationInProgress(ws);
  if (command !== undefined) await git(ws, [command, "--quit"]);
}
