import { join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { verify } from "../../outcome/verify.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import { treeFingerprint } from "../../workspace/tree-fingerprint.ts";
import { commit, type LoopSetup } from "./loop.ts";
import { forgetPassed, hasPassed, recordPassed } from "./passed-tree-store.ts";

type Verifier = Pick<
  LoopSetup,
  "clock" | "db" | "env" | "folder" | "isolation" | "log" | "root" | "sandbox" | "workspace"
> & { readonly options: Pick<LoopSetup["options"], "verify"> };

interface VerifyRequest {
  /** By which the processes that a command leaves running are found and killed. */
  readonly marker: string;
  readonly signal: AbortSignal;
  /** Milliseconds for all commands together; null: each has only its own limit. */
  readonly remainingMs: number | null;
  /** The run that verifies; null: none. */
  readonly runId: string | null;
  /** False: the result is not remembered. */
  readonly remember: boolean;
  readonly onStart?: (command: string) => void;
  readonly onEnd?: (result: CheckResult) => void;
}

/** Returns the fingerprint of the tree as it is; null: the repository has no commit. */
export async function currentTree({ workspace }: Pick<Verifier, "workspace">): Promise<string | null> {
  const { hash } = await readHead(workspace);
  return await treeFingerprint(workspace, { commit: hash, paths: null });
}

/** Returns true if this tree passed the project's verification before. */
export async function passedBefore(
  { db, options }: Pick<Verifier, "db" | "options">,
  tree: string,
): Promise<boolean> {
  return await hasPassed(db, { tree, commands: options.verify });
}

/**
 * Runs the project's verification on the tree as it is, until one command fails. Remembers a tree that passes, and
 * forgets one that passed before and fails now (LOOP-20). Returns the results of the commands that ran.
 */
export async function verifyProject(loop: Verifier, request: VerifyRequest): Promise<readonly CheckResult[]> {
  const { marker, signal, remainingMs, remember, onStart, onEnd } = request;
  const commands = loop.options.verify;
  // Before: the commands can write files.
  const tree = remember ? await currentTree(loop) : null;
  const tmpDir = join(loop.folder, "tmp", marker);
  makeFolders(tmpDir);
  try {
    const options = {
      ...{ cwd: loop.root, env: { ...loop.env, TMPDIR: tmpDir }, marker },
      ...{ isolation: loop.isolation, sandbox: loop.sandbox },
      ...{ signal, remainingMs, repeat: true },
      ...(onStart ? { onStart } : {}),
      ...(onEnd ? { onEnd } : {}),
    };
    const checks = await verify(commands, options);
    const passed = commands.length > 0 && checks.every((check) => check.passed);
    if (tree !== null && (passed || !signal.aborted)) {
      const write = passed ? recordPassed : forgetPassed;
      await commit(loop, (tx) => write(tx, { tree, commands }, loop.clock.now()));
    }
    return checks;
  } finally {
    await removeFolder(loop.workspace, tmpDir);
  }
}
