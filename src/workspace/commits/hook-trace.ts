import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { carefulRead } from "../../base/careful-files.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { temporaryName } from "../../base/temporary-files.ts";
import type { GitResult } from "../git/git.ts";
import type { Workspace } from "../git/workspace.ts";

/** A hook that git started, with its exit code. */
export interface HookEnd {
  readonly name: string;
  /** Null: the hook was still running when git ended. */
  readonly exitCode: number | null;
}

/** Hooks that can refuse a commit; git ignores the exit codes of others. */
const refusing: ReadonlySet<string> = new Set([
  "pre-commit",
  "prepare-commit-msg",
  "commit-msg",
  "reference-transaction",
]);

/**
 * Runs git with a trace2 file of its child processes and returns, if git failed, the hook that did not exit with 0. The
 * trace is reliable; in git's messages, a hook's output cannot be distinguished from git's.
 */
export async function withHookTrace(
  ws: Workspace,
  run: (traceFile: string) => Promise<GitResult>,
): Promise<{ readonly result: GitResult; readonly failedHook: HookEnd | undefined }> {
  // The name identifies the owner process to recovery, as for a private index.
  const file = join(ws.gitDir, temporaryName());
  try {
    const result = await run(file);
    if (result.code === 0) return { result, failedHook: undefined };
    const trace = await readFile(file, { encoding: "utf8", flag: carefulRead }).catch(() => "");
    return { result, failedHook: failedHookIn(trace) };
  } finally {
    rmSync(file, { force: true });
  }
}

/** Reads the events of the last git process in the file. Git commands of a hook have a longer session id. */
function failedHookIn(trace: string): HookEnd | undefined {
  const events = trace.split("\n").map(parseJson).filter(isObject);
  const isTop = (sid: unknown): sid is string => typeof sid === "string" && !sid.includes("/");
  const last = events.findLast(({ sid }) => isTop(sid))?.["sid"];
  const own = events.filter(({ sid }) => sid === last);
  for (const { event, child_class, hook_name, child_id } of own) {
    if (event !== "child_start" || child_class !== "hook" || typeof hook_name !== "string") continue;
    if (!refusing.has(hook_name)) continue;
    const end = own.find((other) => other["event"] === "child_exit" && other["child_id"] === child_id);
    const exitCode = typeof end?.["code"] === "number" ? end["code"] : null;
    if (exitCode !== 0) return { name: hook_name, exitCode };
  }
  return undefined;
}
