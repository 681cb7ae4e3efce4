import { join } from "node:path";
import { formatDuration } from "../../base/duration.ts";
import { RalphError } from "../../base/errors.ts";
import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import type { RunEvents } from "../../events/run-events.ts";
import type { RunReport } from "../../events/run-summary.ts";
import type { RunOptions } from "../../loop/rows/loop.ts";
import { readRunReport } from "../../loop/rows/run-report.ts";
import { runsOnBranch } from "../../loop/rows/run-store.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import { costText, sumOf } from "../../view/format.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import {
  isGitlab,
  isPushed,
  noteBase,
  notedBase,
  pushBranch,
  pushRemote,
  requestPull,
} from "../../workspace/publish-branch.ts";
import type { OptionValue, Project } from "../shell/command.ts";

/** The remote and branches of a pull request; null: it opens none. */
export interface PullRequestPlan {
  readonly remote: string;
  /** The branch to create; null: the run stays on the one of an earlier run, or workers make theirs. */
  readonly branch: string | null;
  /** True: the run creates the branch in this work tree, if a task is ready. */
  readonly isNew: boolean;
  /** True: the run itself pushes to the branch. */
  readonly lands: boolean;
  /** The branch that it begins at; null: unknown. */
  readonly base: string | null;
}

const own = "ralph/";

/** Plans the pull request of `--pr`: its remote and its branch. Throws `RALPH_PR_REMOTE` without a remote. */
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
  const given = typeof options["branch"] === "string" ? options["branch"] : null;
  const { at, isOwn, base } = await startOf(workspace, given);
  const unnamed = `${own}${runId}`;
  if (lands !== null)
    return { remote, base, lands: true, isNew: false, branch: given ?? (isOwn ? at : unnamed) };
  const branch = given ?? (workers !== null || isOwn ? null : unnamed);
  const isNew = workers === null && branch !== null && branch !== at;
  return { remote, base, lands: false, isNew, branch };
}

/** Returns the branch that HEAD is on, whether it is an earlier run's, and what the pull request merges into. */
async function startOf(
  workspace: Workspace,
  given: string | null,
): Promise<{ readonly at: string | null; readonly isOwn: boolean; readonly base: string | null }> {
  const { ref } = await readHead(workspace);
  const at = ref?.replace("refs/heads/", "") ?? null;
  if (at === null) return { at, isOwn: false, base: null };
  const noted = await notedBase(workspace, at);
  const isOwn = at.startsWith(own) || noted !== undefined;
  const continues = given === null ? isOwn : given === at;
  if (continues) return { at, isOwn, base: noted ?? null };
  return { at, isOwn, base: isOwn ? null : at };
}

/** Notes a branch that a run created for the next `--pr` on it, also after a run that opened no pull request. */
export async function notePullRequest(
  { workspace }: Pick<Ended, "workspace">,
  { isNew, branch, base }: PullRequestPlan,
): Promise<void> {
  const { ref } = await readHead(workspace);
  if (isNew && branch !== null && ref === `refs/heads/${branch}`) await noteBase(workspace, branch, base);
}

interface Ended {
  readonly project: Project;
  readonly workspace: Workspace;
  readonly plan: PullRequestPlan;
  readonly end: RunEvents["run.finished"];
  readonly now: Date;
}

interface Opened {
  readonly lines: readonly SafeText[];
  readonly isOpen: boolean;
}

/** Pushes the branch of a run that has ended and opens or updates its pull request. What fails leaves the branch as it is. */
export async function openPullRequest({ project, workspace, plan, end, now }: Ended): Promise<Opened> {
  const { root, db, loaded } = project;
  const landedOn = end.landedOn ?? (await readHead(workspace)).ref?.replace("refs/heads/", "");
  if (landedOn === undefined) return failed(safe`no pull request: HEAD is detached`, []);
  const { remote, base } = plan;
  if (plan.isNew && plan.branch !== null && plan.branch !== landedOn) {
    const why = safe`no task was ready, so ${safeLine(plan.branch)} was not created`;
    return { lines: [safe`no pull request: ${why}`], isOpen: true };
  }
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
  const into = base === null ? "" : safe` ${safeText(target)} ${quoted(safeLine(base))}`;
  const create = safe`${safeText(words)} ${safeLine(branch)} --title ${quoted(title)} ${safeText(text)}${into}`;
  const why = plan.lands ? null : await pushBranch(workspace, remote, branch);
  if (why !== null) {
    const what = safe`${safeLine(branch)} was not pushed to ${safeLine(remote)}: ${clause(why)}`;
    return failed(safe`${what}. The commits are on the branch here.`, [push, create]);
  }
  const asked = await requestPull(workspace, { remote, branch, base, title, body, bodyFile });
  switch (asked.state) {
    case "missing":
      return failed(
        safe`pushed ${safeLine(branch)}; neither gh nor glab is installed to open a pull request`,
        [create],
      );
    case "failed":
      return failed(safe`pushed ${safeLine(branch)}, but no pull request: ${clause(asked.why)}`, [create]);
    default:
      return { lines: [safe`${asked.state} the pull request ${safeLine(asked.url, 300)}`], isOpen: true };
  }
}

function failed(what: SafeText, commands: readonly SafeText[]): Opened {
  const hint = commands.length === 0 ? [] : [safe`hint: ${joinSafe(commands, "\n      ")}`];
  return { lines: [safe`warning: ${what}`, ...hint], isOpen: false };
}

/** Returns what a program said without its full stop: a sentence may follow. */
function clause(text: string): SafeText {
  return safeLine(text.replace(/[.\s]+$/, ""), 400);
}

function quoted(text: SafeText): SafeText {
  return safe`'${joinSafe(text.split("'"), "'\\''")}'`;
}

interface Facts {
  readonly end: RunEvents["run.finished"];
  /** Of all runs on the branch, oldest first. */
  readonly reports: readonly RunReport[];
  readonly verify: readonly string[];
}

const maxItems = 50;

/** Returns the title of a pull request and its body in Markdown: what was done, what verified it, what needs a person, its cost. */
function pullRequestText({ end, reports, verify }: Facts): Readonly<Record<"title" | "body", SafeText>> {
  const titles = new Map(reports.flatMap(({ tasks }) => tasks.map(({ id, title }) => [id, title] as const)));
  const commits = reports.flatMap((report) => report.commits);
  const done = [...new Set(commits.map(({ taskId }) => taskId))];
  const titleOf = (id: string): string => titles.get(id) ?? id;
  const [first = "", ...more] = done.map(titleOf);
  const title = safeLine(more.length === 0 ? first : `${first}, and ${more.length} more`, 200);
  const { costUsd, estimatedUsd } = sumOf(reports.flatMap(({ byModel }) => byModel));
  const cost = costUsd === null ? "unknown" : costText(costUsd, 2, estimatedUsd > 0);
  const time = formatDuration(reports.reduce((sum, { agentMs }) => sum + agentMs, 0));
  const left = end.tasks.pending;
  const hashesOf = (id: string): string =>
    commits.flatMap(({ taskId, hash }) => (taskId === id ? hash.slice(0, 9) : [])).join(", ");
  const needs = end.needs.map(
    ({ id, title: what, reason }) => `${markdown(`${id} ${what}`)}: ${markdown(reason)}`,
  );
  const warnings = reports.flatMap((report) => report.warnings);
  const open = `${left} ${left === 1 ? "task is" : "tasks are"} left: run \`ralph run --pr\` on this branch to continue.`;
  const lines = [
    ...section(
      "Done",
      done.map((id) => `${markdown(titleOf(id))} (${hashesOf(id)})`),
    ),
    ...section("Verified by", verify.map(code)),
    ...section("Needs a person", needs),
    ...section(
      "Warnings",
      warnings.map(({ taskId, text }) => markdown(`${taskId}: ${text}`)),
    ),
    ...(left > 0 ? [open, ""] : []),
  ];
  const body = safe`${safeText(lines.join("\n"))}\nCost: ${cost}, ${time} in agents and verification.\n`;
  return { title: title === "" ? safe`Work of ralph` : title, body };
}

function section(name: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const rest = items.length - maxItems;
  const shown = items.slice(0, maxItems).map((item) => `- ${item}`);
  return [`## ${name}`, "", ...shown, ...(rest > 0 ? [`- … and ${rest} more`] : []), ""];
}

/** Returns outside text on one line, without what Markdown or GitHub would act on: links, images, HTML, mentions. */
function markdown(text: string): string {
  return safeLine(text, 300)
    .replaceAll(/[\\`*_[\]<>]/g, (mark) => `\\${mark}`)
    .replaceAll("@", "@<!-- -->");
}

function code(text: string): string {
  const line = safeLine(text, 200);
  return line.includes("`") ? markdown(line) : `\`${line}\``;
}
