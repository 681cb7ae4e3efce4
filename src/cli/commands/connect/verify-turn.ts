import { fixable } from "../../../base/errors.ts";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { liveRuns } from "../../../loop/rows/live-runs.ts";
import { currentTree, passedBefore } from "../../../loop/rows/verify-project.ts";
import type { CheckResult } from "../../../outcome/outcome.ts";
import { fence } from "../../../trust/fence.ts";
import { safeLine, safeText } from "../../../trust/safe-text.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";
import { verifyOnce } from "../../run/verify-once.ts";
import type { Project, Session } from "../../shell/command.ts";
import failedTurn from "./failed-turn.md";
import { type HookInput, readSessionState, updateSessionState } from "./session-state.ts";

/** The decision about a turn that is about to end. */
export interface TurnVerdict {
  /** The reason to continue, for the agent; null: the turn may end. */
  readonly block: SafeText | null;
  /** A line for the person; null: none. */
  readonly note: SafeText | null;
}

const ends: TurnVerdict = { block: null, note: null };
const defaultMaxFailures = 5;

/** Records the tree before a turn, by which its end sees whether the turn changed anything. */
export async function recordTree(project: Project, { sessionId }: HookInput): Promise<void> {
  const tree = hasVerification(project) ? await treeOf(project) : null;
  await updateSessionState(sessionId, { tree, failures: 0, failedTree: null });
}

/**
 * Verifies the project at the end of a turn that changed it, with the approved commands. A failure returns the agent to work, at
 * most `limits.maxAttempts` times a prompt and only while it changes something.
 */
export async function verifyTurn(session: Session, project: Project, input: HookInput): Promise<TurnVerdict> {
  if (!hasVerification(project) || input.isWaiting) return ends;
  // The agents of a run change the same files.
  if ((await liveRuns(project.db)).some(({ isHere }) => isHere)) return ends;
  const { tree: before, failures, failedTree } = readSessionState(input.sessionId);
  const { settings } = project.loaded;
  const options = { verify: settings.verify ?? [] };
  const tree = await treeOf(project);
  if (tree !== null && (tree === before || (await passedBefore({ db: project.db, options }, tree))))
    return ends;
  if (tree !== null && tree === failedTree)
    return {
      block: null,
      note: safe`ralph: the verification still fails, and the last turn changed nothing`,
    };
  const max = settings.limits.maxAttempts || defaultMaxFailures;
  if (failures >= max)
    return { block: null, note: safe`ralph: the verification failed ${failures} times; not verified again` };
  return await verify(session, project, { input, failures });
}

async function verify(
  session: Session,
  project: Project,
  { input, failures }: { readonly input: HookInput; readonly failures: number },
): Promise<TurnVerdict> {
  try {
    const checks = await verifyOnce(session, project, () => undefined);
    const failed = checks.find(({ passed }) => !passed);
    if (!failed) {
      const commands = checks.map(({ command }) => safe`\`${safeLine(command, 200)}\``);
      return { block: null, note: safe`ralph: verified by ${joinSafe(commands, ", ")}` };
    }
    if (failed.cannotRun !== null)
      return { block: null, note: safe`ralph: not verified: ${describe(failed)}` };
    await updateSessionState(input.sessionId, { failures: failures + 1, failedTree: await treeOf(project) });
    return { block: blockReason(failed, input), note: null };
  } catch (error) {
    const { message, hint } = fixable(error);
    const then = hint === undefined ? safe`` : safe`; ${safeLine(hint)}`;
    return { block: null, note: safe`ralph: not verified: ${safeLine(message)}${then}` };
  }
}

function blockReason(failed: CheckResult, { sessionId }: HookInput): SafeText {
  const output = safeText(failed.excerpt);
  const quoted = output.trim() === "" ? safe`(it printed nothing)` : fence(output, sessionId);
  return safe`The project's verification failed: ${describe(failed)}\n${quoted}\n${failedTurn.trim()}`;
}

function describe({ command, reason }: CheckResult): SafeText {
  return safe`\`${safeLine(command, 200)}\`: ${safeLine(reason, 300)}`;
}

function hasVerification({ loaded }: Project): boolean {
  return (loaded.settings.verify ?? []).length > 0;
}

async function treeOf({ root, loaded }: Project): Promise<string | null> {
  const { learnings, scope } = loaded.settings;
  const options = { needCommit: false, recordsDir: learnings.dir, scope };
  const workspace = await openWorkspace(root, childEnvironment(), options);
  return await currentTree({ workspace });
}
