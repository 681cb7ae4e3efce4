import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { namesIn } from "../../base/careful-files.ts";
import { git } from "./git.ts";
import type { Workspace } from "./workspace.ts";

/** The files in the git folder during a multi-step operation, and the command of each. */
const unfinished: readonly (readonly [file: string, command: string])[] = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["sequencer", "cherry-pick"],
  ["BISECT_LOG", "bisect"],
];

/** The files of a bisection, which git has no command to end without a checkout. */
const bisectFiles = ["LOG", "START", "NAMES", "TERMS", "RUN", "EXPECTED_REV", "ANCESTORS_OK", "FIRST_PARENT"];

/** Of one step, which the next commit ends. */
const oneStep: ReadonlySet<string> = new Set(["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]);

/** Returns the operation in progress, if any; with `stepwise`, only one that continues step by step. */
export async function operationInProgress(
  ws: Workspace,
  { stepwise = false }: { readonly stepwise?: boolean } = {},
): Promise<string | undefined> {
  const there = new Set(namesIn(ws.gitDir));
  const found = unfinished.find(([file]) => there.has(file) && !(stepwise && oneStep.has(file)));
  if (found?.[0] === "rebase-apply" && existsSync(join(ws.gitDir, "rebase-apply", "applying"))) return "am";
  return found?.[0] === "sequencer" ? sequenceOf(ws) : found?.[1];
}

/** Between two steps of a series, only its list identifies the operation. */
async function sequenceOf(ws: Workspace): Promise<string | undefined> {
  const todo = await readFile(join(ws.gitDir, "sequencer", "todo"), "utf8").catch(() => "");
  if (todo.trim() === "") return undefined;
  return todo.startsWith("revert") ? "revert" : "cherry-pick";
}

/** Removes the state of an unfinished operation without changing files, branches or index entries. */
export async function endOperations(ws: Workspace): Promise<void> {
  const command = await operationInProgress(ws);
  if (command === "bisect") {
    const files = bisectFiles.map((name) => join(ws.gitDir, `BISECT_${name}`));
    await Promise.all(files.map((file) => rm(file, { recursive: true, force: true })));
  } else if (command !== undefined) await git(ws, [command, "--quit"]);
}
