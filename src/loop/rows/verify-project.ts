import { join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { type VerifyOptions, verify } from "../../outcome/verify.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import { treeFingerprint } from "../../workspace/tree-fingerprint.ts";
import { commit, type LoopSetup } from "./loop.ts";
import { forgetPassed, hasPassed, recordPassed } from "./passed-tree-store.ts";

type Verifier = Pick<
  LoopSetup,
  "clock" | "db" | "env" | "folder" | "isolation" | "log" | "root" | "sandbox" | "workspace"
> & { readonly options: Pick<LoopSetup["options"], "verify"> };

interface VerifyRequest extends Omit<Limits, "repeat"> {
  /** False: the result is not remembered. */
  readonly remember: boolean;
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
  const { remember, ...limits } = request;
  const commands = loop.options.verify;
  // Before: the commands can write files.
  const tree = remember ? await currentTree(loop) : null;
  const checks = await runInTree(loop, commands, { ...limits, repeat: true });
  const passed = commands.length > 0 && checks.every((check) => check.passed);
  if (tree !== null && (passed || !request.signal.aborted)) {
    const write = passed ? recordPassed : forgetPassed;
    await commit(loop, (tx) => write(tx, { tree, commands }, loop.clock.now()));
  }
  return checks;
}

type Limits = Pick<VerifyOptions, "marker" | "onEnd" | "onStart" | "remainingMs" | "repeat" | "signal">;

/** Runs commands in a slot's tree as verification, with a temporary folder that their marker names. */
export async function runInTree(
  loop: Pick<LoopSetup, "env" | "folder" | "isolation" | "root" | "sandbox" | "workspace">,
  commands: readonly VerifyCommand[],
  limits: Limits,
): Promise<readonly CheckResult[]> {
  const { env, isolation, sandbox, root: cwd } = loop;
  const tmpDir = join(loop.folder, "tmp", limits.marker);
  makeFolders(tmpDir);
  try {
    return await verify(commands, { ...limits, cwd, env: { ...env, TMPDIR: tmpDir }, isolation, sandbox });
  } finally {
    await removeFolder(loop.workspace, tmpDir);
  }
}
