import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import type { RunEvents } from "../../events/run-events.ts";
import type { RunOptions } from "../../loop/rows/loop.ts";
import { readRunReport } from "../../loop/rows/run-report.ts";
import { runsOnBranch } from "../../loop/rows/run-store.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { isGitlab, isPushed, pushBranch, pushRemote, requestPull } from "../../workspace/publish-branch.ts";
import type { OptionValue, Project } from "../shell/command.ts";
import { pullRequestText } from "./pull-request-text.ts";

/** The remote and branches of a pull request; null: it opens none. */
export interface PullRequestPlan {
  readonly remote: string;
  /** The branch to create; null: the run stays on the one of an earlier run, or workers make theirs. */
  readonly branch: string | null;
  /** True: the run itself pushes to the branch. */
  readonly lands: boolean;
  /** The branch that it begins at; null: unknown. */
  readonly base: string | null;
}

/** Branches that ralph makes. */
const own = "ralph/";

/**
 * Plans the pull request of `--pr`: its remote and its branch.
 *
 * @throws RalphError `RALPH_PR_REMOTE` without a remote
 */
export async function planPullRequest(
  workspace: Workspace,
  options: Readonly<Record<string, OptionValue>>,
  { runId, workers, remote: lands }: { readonly runId: string } & Pick<RunOptions, "workers" | "remote">,
): Promise<PullRequestPlan | null> {
  if (options["pr"] !== true) return null;
  const remote = lands ?? (await pushRemote(workspace));
  if (remote === null) {
    throw new RalphError("RALPH_PR_REMOTE", "--pr needs a remote to push to, and this repository has none", {
      hint: "run `git remote add origin URL`, or run without --pr",
    });
  }
  const { ref } = await readHead(workspace);
  const at = ref?.replace("refs/heads/", "") ?? null;
  const given = typeof options["branch"] === "string" ? options["branch"] : null;
  const base = at === null || at.startsWith(own) || at === given ? null : at;
  const isOwn = at?.startsWith(own) === true;
  if (lands !== null) return { remote, base, lands: true, branch: given ?? (isOwn ? at : `${own}${runId}`) };
  const stays = workers !== null || isOwn;
  return { remote, base, lands: false, branch: given ?? (stays ? null : `${own}${runId}`) };
}

interface Ended {
  readonly project: Project;
  readonly workspace: Workspace;
  readonly plan: PullRequestPlan;
  readonly end: RunEvents["run.finished"];
  readonly now: Date;
}

interface Opened {
  /** Lines for people. */
  readonly lines: readonly SafeText[];
  readonly isOpen: boolean;
}

/** Pushes the branch of a run that has ended and opens or updates its pull request. What fails leaves the branch as it is. */
export async function openPullRequest({ project, workspace, plan, end, now }: Ended): Promise<Opened> {
  const { root, db, loaded } = project;
  const landedOn = end.landedOn ?? (await readHead(workspace)).ref?.replace("refs/heads/", "");
  if (landedOn === undefined) return failed(safe`no pull request: HEAD is detached`, []);
  const { remote, base } = plan;
  const branch = (plan.lands ? plan.branch : null) ?? landedOn;
  const ids = await runsOnBranch(db, landedOn);
  const reports = await Promise.all(ids.map((id) => readRunReport(db, id, now)));
  const commits = reports.reduce((sum, report) => sum + report.commits.length, 0);
  if (commits === 0 && !(await isPushed(workspace, remote, branch)))
    return { lines: [safe`no pull request: there is no commit on ${safeLine(branch)} yet`], isOpen: true };
  const verify = (loaded.settings.verify ?? []).map(({ run }) => run);
  const { title, body } = pullRequestText({ end, reports, verify });
  const bodyFile = join(root, ".ralph", "pull-request.md");
  await writeFileSafely(bodyFile, body, { root });
  const push = safe`git push ${safeLine(remote)} ${safeLine(branch)}`;
  const [words, target, text] = (await isGitlab(workspace, remote))
    ? ["glab mr create --source-branch", "--target-branch", '--description "$(cat .ralph/pull-request.md)"']
    : ["gh pr create --head", "--base", "--body-file .ralph/pull-request.md"];
  const into = base === null ? "" : safe` ${safeText(target)} ${safeLine(base)}`;
  const create = safe`${safeText(words)} ${safeLine(branch)} --title ${quoted(title)} ${safeText(text)}${into}`;
  const why = plan.lands ? null : await pushBranch(workspace, remote, branch);
  if (why !== null)
    return failed(safe`${safeLine(branch)} was not pushed to ${safeLine(remote)}: ${safeLine(why, 400)}`, [
      push,
      create,
    ]);
  const asked = await requestPull(workspace, { remote, branch, base, title, body, bodyFile });
  switch (asked.state) {
    case "missing":
      return failed(
        safe`pushed ${safeLine(branch)}; neither gh nor glab is installed to open a pull request`,
        [push, create],
      );
    case "failed":
      return failed(safe`pushed ${safeLine(branch)}, but no pull request: ${safeLine(asked.why, 400)}`, [
        create,
      ]);
    default:
      return { lines: [safe`${asked.state} the pull request ${safeLine(asked.url, 300)}`], isOpen: true };
  }
}

function failed(what: SafeText, commands: readonly SafeText[]): Opened {
  const kept = safe`warning: ${what}. The commits are on the branch here.`;
  const hint = commands.length === 0 ? [] : [safe`hint: ${joinSafe(commands, "\n      ")}`];
  return { lines: [kept, ...hint], isOpen: false };
}

function quoted(text: SafeText): SafeText {
  return safe`'${joinSafe(text.split("'"), "'\\''")}'`;
}
