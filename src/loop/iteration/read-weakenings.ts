import type { VerifyCommand } from "../../base/verify-command.ts";
import {
  filesToCompare,
  readTexts,
  textsOfCommands,
  type Weakening,
  weakenings,
} from "../../outcome/weakenings.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { wholeDiff } from "../../workspace/diff.ts";
import type { Loop } from "../rows/loop.ts";
import { globMatcher } from "./verify-commands.ts";

interface Attempted {
  readonly task: Task;
  /** The commit before the task's work; null: none. */
  readonly from: string | null;
  /** The changed files. */
  readonly files: readonly string[];
  /** The commands that verify the task. */
  readonly commands: readonly VerifyCommand[];
}

/** Reads the work's own diff for what weakens its verification (LOOP-18). */
export async function readWeakenings(
  { options, root, workspace }: Pick<Loop, "options" | "root" | "workspace">,
  { task, from, files, commands }: Attempted,
): Promise<readonly Weakening[]> {
  if (from === null || files.length === 0) return [];
  const lines = commands.map(({ run }) => run);
  const verifiers = {
    commands: lines,
    texts: await textsOfCommands(root, lines),
    isProtected: globMatcher(options.protect),
    task: [task.title, task.description, ...task.acceptance, ...task.files].join("\n"),
  };
  const paths = filesToCompare(files, verifiers);
  const diff = paths.length === 0 ? "" : await wholeDiff(workspace, { from, paths });
  const untracked = paths.filter((path) => !diff.includes(`diff --git a/${path} b/`));
  return weakenings(verifiers, { files, diff, created: await readTexts(root, untracked) });
}
