import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "../workspace.ts";
import { git } from "./git.ts";

/** What git keeps in its folder during an operation of several steps, and the command it belongs to. */
const unfinished: readonly (readonly [file: string, command: string])[] = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["sequencer", "cherry-pick"],
  ["BISECT_LOG", "bisect"],
];

/** Where git keeps a bisection; it has no command that forgets it without a checkout. */
const ofBisect = ["LOG", "START", "NAMES", "TERMS", "RUN", "EXPECTED_REV", "ANCESTORS_OK", "FIRST_PARENT"];

/** The operation that is in progress, if one is. */
export async function operationInProgress(ws: Workspace): Promise<string | undefined> {
  const there = new Set(await readdir(ws.gitDir).catch(() => []));
  const found = unfinished.find(([file]) => there.has(file));
  return found?.[0] === "sequencer" ? sequenceOf(ws) : found?.[1];
}

/** Between two steps of a series only its list tells what it is one of. */
async function sequenceOf(ws: Workspace): Promise<string | undefined> {
  const todo = await readFile(join(ws.gitDir, "sequencer", "todo"), "utf8").catch(() => "");
  if (todo.trim() === "") return undefined;
  return todo.startsWith("revert") ? "revert" : "cherry-pick";
}

/** Makes git forget an unfinished operation; no file, branch or index entry changes. */
export async function endOperations(ws: Workspace): Promise<void> {
  const command = await operationInProgress(ws);
  if (command === "bisect") {
    const files = ofBisect.map((name) => join(ws.gitDir, `BISECT_${name}`));
    await Promise.all(files.map((file) => rm(file, { force: true })));
  } else if (command !== undefined) await git(ws, [command, "--quit"]);
}
