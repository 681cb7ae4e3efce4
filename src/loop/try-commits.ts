import { RalphError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import type { Task } from "../tasks/graph/task.ts";
import type { Workspace } from "../workspace/git/workspace.ts";
import { refusedMessageOf, refuseLocked, trySigning } from "../workspace/try-commit.ts";
import { sampleMessage } from "./iteration/commit-message.ts";
import type { Loop } from "./rows/loop.ts";
import { sayingThatItWaits } from "./rows/saying-that-it-waits.ts";
import { tasksOfRun } from "./run/run-tasks.ts";

/** Tasks whose messages are tried: a hook may ask for more than a form, such as a ticket's number. */
const maxTried = 3;
const templates = ["feat: {title}", "chore: {title}", "{title} ({id})"];

type Sample = Pick<Task, "commitTemplate" | "id" | "title">;

const sample: Sample = { id: "t-3fa9c1", title: "Add a search field", commitTemplate: null };

/**
 * Tries what a commit needs before the first agent is paid: the lock of the index, signing, and the commit-msg hook.
 *
 * @throws RalphError `RALPH_GIT_LOCKED`, `RALPH_GIT_COMMIT_FAILED`, `RALPH_GIT_COMMIT_REFUSED`
 */
export async function tryCommits(loop: Loop): Promise<void> {
  const { workspace, options, isolation: level, runId: marker, sandbox } = loop;
  if (!options.commit.enabled) return;
  const tasks = (await tasksOfRun(loop.db, options.only)).filter(({ status }) => status === "pending");
  const isolation = { level, marker, view: sandbox?.hooks() ?? null };
  const fault = await sayingThatItWaits(loop, null, () =>
    commitFault(workspace, options.commit.template, { tasks, isolation }),
  );
  if (fault === null) return;
  throw new RalphError("RALPH_GIT_COMMIT_REFUSED", fault.message, { hint: `${fault.hint}, then: ralph run` });
}

interface Tried {
  readonly tasks: readonly Sample[];
  readonly isolation?: Parameters<typeof refusedMessageOf>[2];
}

/**
 * Returns what to do about a commit-msg hook that refuses the messages of the first tasks; null: it accepts one.
 *
 * @throws RalphError `RALPH_GIT_LOCKED`, `RALPH_GIT_COMMIT_FAILED`
 */
export async function commitFault(
  workspace: Workspace,
  template: string | null,
  { tasks, isolation }: Tried = { tasks: [sample] },
): Promise<{ readonly message: string; readonly hint: string } | null> {
  await refuseLocked(workspace);
  await trySigning(workspace);
  const refused = (task: Sample, form: string | null): Promise<string | null> =>
    refusedMessageOf(workspace, sampleMessage(task, form), isolation);
  const [first] = tasks;
  if (first === undefined) return null;
  let why = "";
  for (const task of tasks.slice(0, maxTried)) {
    const answer = await refused(task, template);
    if (answer === null) return null;
    why = oneLine(answer);
  }
  const message = `the commit-msg hook refuses the messages of ralph's commits: ${why}`;
  for (const form of templates) {
    if ((await refused({ ...first, commitTemplate: null }, form)) !== null) continue;
    return {
      message,
      hint: `set \`commit: { template: "${form}" }\` in .ralph/config.yaml, which the hook accepts`,
    };
  }
  return { message, hint: "set commit.template in .ralph/config.yaml to what the hook accepts" };
}
