import type { AgentResult } from "../../agents/port/agent.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import { explainsNoChange } from "../../outcome/no-change.ts";
import type { CheckResult, Claims, WorkDone } from "../../outcome/outcome.ts";
import { readClaims } from "../../outcome/read-claims.ts";
import {
  filesToCompare,
  readTexts,
  textsOfCommands,
  type Weakening,
  weakenings,
} from "../../outcome/weakenings.ts";
import { claimFlags } from "../../tasks/graph/claim-store.ts";
import { mayChangeNothing } from "../../tasks/graph/task-graph.ts";
import { wholeDiff } from "../../workspace/diff.ts";
import type { Interruption, Iteration } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import type { TreeGuard } from "../rows/slot.ts";
import { withVerifiedChanges } from "../tree/inspect-work.ts";
import { environmentFault } from "./cannot-verify.ts";
import { runChecks } from "./run-checks.ts";
import { dueCommands, globMatcher, type Preflight, verifyCommandsFor } from "./verify-commands.ts";

interface Attempt {
  readonly session: AgentResult;
  /** The changes of the session. */
  readonly work: WorkDone;
  readonly guard: TreeGuard;
  /** In the project, before the agent ran. */
  readonly preflight: Preflight;
}

/** The facts by which an attempt is judged. */
export interface Verified {
  readonly claims: Claims;
  /** True: the task may be done without a change, or there is one. */
  readonly allowNoChange: boolean;
  /** The commands that verify the task; those that were due are in `checks`. */
  readonly commands: readonly VerifyCommand[];
  readonly checks: readonly CheckResult[];
  readonly weakened: readonly Weakening[];
  /** The files of the work, or HEAD, that verification changed; null: not compared. */
  readonly rewritten: readonly string[] | null;
  /** The work with what verification changed of tracked files. */
  readonly work: WorkDone;
  /** The new files that verification made besides. */
  readonly byproducts: readonly string[];
  /** Warnings of what was put back after verification. */
  readonly restored: readonly string[];
}

/**
 * Reads the agent's claims and, when it claims to be done, runs verification. Returns an interruption when there can be no
 * verdict: a user stopped the run meanwhile, or verification could not be executed.
 */
export async function verifyAttempt(
  loop: Loop,
  iteration: Iteration,
  { session, work, guard, preflight }: Attempt,
): Promise<Verified | Interruption> {
  const { task } = iteration;
  const { files } = work;
  const commands = verifyCommandsFor(loop, iteration);
  const weakened = await readWeakenings(loop, iteration, { files, commands });
  const definitions = [...new Set(weakened.map(({ path }) => path))];
  const claims = await claimsOf(loop, iteration, session);
  const mayStay =
    (await mayChangeNothing(loop.db, task)) || (commands.length > 0 && explainsNoChange(claims, work));
  const worthVerifying =
    !session.error &&
    !claims.failed &&
    (claims.done || loop.options.completion === "verified") &&
    !work.forbidden &&
    (work.changed || mayStay);
  const due = worthVerifying ? dueCommands(commands, files) : [];
  const asked = { commands: due, work, weakened: definitions, agentMs: session.durationMs };
  const { checks, place, rewritten } = await runChecks(loop, iteration, asked);
  // Tests are the agent's code too: their changes to git's configuration must not take effect in the commands below.
  const statusNext = checks.length > 0 && !loop.clean;
  const earlier = new Set(guard.restored);
  const again = checks.length > 0 ? await guard.restore({ statusNext }) : [];
  const restored = again.filter((warning) => !earlier.has(warning));
  if (loop.stop.aborted && checks.some((check) => !check.passed)) return stopped;
  const fault = await environmentFault(loop, { task, checks, place, before: preflight, files, definitions });
  if (fault) return fault;
  const changes =
    checks.length === 0 || loop.clean
      ? null
      : await withVerifiedChanges(loop, iteration.state.baseline, work);
  const { verified, byproducts } = changes ?? { verified: work, byproducts: [] };
  return {
    claims,
    allowNoChange: verified.changed || mayStay,
    commands,
    checks,
    weakened,
    rewritten,
    work: verified,
    byproducts,
    restored,
  };
}

/** Reads the work's own diff for what weakens its verification (LOOP-18). */
async function readWeakenings(
  { options, root, workspace }: Pick<Loop, "options" | "root" | "workspace">,
  { task, state }: Iteration,
  { files, commands }: { readonly files: readonly string[]; readonly commands: readonly VerifyCommand[] },
): Promise<readonly Weakening[]> {
  const from = state.baseline.head;
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

const stopped: Interruption = {
  kind: "cancelled",
  message: "stopped during verification",
  hint: null,
  resetAt: null,
};

/** Merges the claims of the final message with those that the agent reported by a command or a tool. */
async function claimsOf(
  { db }: Pick<Loop, "db">,
  iteration: Iteration,
  { finalMessage }: AgentResult,
): Promise<Claims> {
  const stated = readClaims(finalMessage, iteration.taskId);
  const typed = await claimFlags(db, iteration.claim);
  const failed = stated.failed || typed.failed;
  return { ...stated, failed, done: !failed && (stated.done || typed.done) };
}
