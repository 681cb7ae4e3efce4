import { join } from "node:path";
import { defaultPermission } from "../../agents/sandbox.ts";
import { thisOwner } from "../../agents/supervision.ts";
import { newId } from "../../base/ids.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { Settings } from "../../config/settings.ts";
import type { PromptTemplate } from "../../context/template.ts";
import type { LoopSetup, RunOptions } from "../../loop/rows/loop.ts";
import { latestRun } from "../../loop/rows/run-store.ts";
import { sessionName } from "../../memory/note-actions.ts";
import { countTasks, getTask, listTasks, requireTask } from "../../tasks/graph/task-store.ts";
import { syncLists } from "../../tasks/import-tasks.ts";
import { safeText } from "../../trust/safe-text.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import { answerRequests } from "../door/answer-requests.ts";
import { chooseAgents, readOnlyAgent, strategyOf } from "../project/choose-agents.ts";
import { sharingOf } from "../project/hivemind-of.ts";
import { holdoutShare, memoryOf } from "../project/memory-of.ts";
import { refuseUnoffered } from "../project/offered-models.ts";
import { sessionOf } from "../project/session-name.ts";
import { skillWriter } from "../project/skill-writer.ts";
import type { Invocation, OptionValue, Project, Session } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";
import { projectApprovals, requireApproval, unapprovedTasks } from "../trust/approval.ts";
import { cleanFolder, confinementOf, treesFolder } from "../trust/confinement.ts";
import { parsePromptFile, readPromptFile } from "../trust/prompt-file.ts";
import { noTasks } from "./no-tasks.ts";
import { type PullRequestPlan, planPullRequest } from "./pull-request.ts";
import { readSpec } from "./read-spec.ts";
import { shouldAdoptLists } from "./should-adopt-lists.ts";

/** A checked run, complete except for the stop signals. */
export type PreparedRun = Omit<LoopSetup, "stop" | "forceStop" | "killable"> & {
  readonly project: Project;
  readonly noteSession: SafeText;
  /** Null: the run opens no pull request. */
  readonly pullRequest: PullRequestPlan | null;
};

/**
 * Turns settings and flags into a run. Throws for an unknown agent, a missing task, unusable git or a missing approval,
 * before anything is started or changed. A dry run executes nothing and needs no approval.
 */
export async function prepareRun(
  session: Session,
  project: Project,
  invocation: Invocation,
): Promise<PreparedRun> {
  const { options } = invocation;
  chooseAgents(project.loaded.settings);
  const isDry = options["dryRun"] === true;
  const workspace = await openRepository(project, { runsLong: !isDry });
  const spec = await readSpec(session, project, options);
  const file = await readPromptFile(project.root);
  const template = parsePromptFile(file);
  const adoptLists = await shouldAdoptLists(session, project, { dryRun: isDry });
  const named = invocation.args["tasks"];
  if (adoptLists) await findNew(project, named, session.clock.now());
  const only = await chooseTasks(project, named);
  if (!isDry) await requireApproval(session, { ...project, promptFile: file });
  if (!isDry) await requireChoice(session, project, options);
  if (!isDry) await refuseUnoffered(project);
  if (!isDry) await announceSharing(session, project);
  return assembleRun(session, project, { only, spec, template, options, adoptLists, workspace });
}

/**
 * Asks before agents work in a project without a configuration whose tasks nothing verifies.
 *
 * @throws RalphError `RALPH_USAGE` without a terminal to ask on, or when the answer is no
 */
async function requireChoice(
  session: Session,
  { loaded, db }: Project,
  options: Invocation["options"],
): Promise<void> {
  const { agent, verify } = loaded.settings;
  const chosen = loaded.projectFile !== null || options["config"] !== undefined || (verify ?? []).length > 0;
  if (chosen || options["yes"] === true) return;
  if ((await listTasks(db)).every(({ verification }) => verification.length > 0)) return;
  const what = `${agent.join(", ")} would work without a configuration, and nothing would verify its work`;
  if (session.canAsk && (await session.confirm(safeText(`${what}. Start anyway?`), false))) return;
  throw usageError(what, "run `ralph init` first, or `ralph run --yes` to start anyway");
}

/** The first run says what is shared by default. */
async function announceSharing(session: Session, project: Project): Promise<void> {
  if (session.json || (await latestRun(project.db))) return;
  const sharing = sharingOf(project);
  if (sharing !== null) session.note(safe`${sharing} To keep it here: \`hivemind: { store: off }\``);
}

function openRepository(project: Project, { runsLong }: { readonly runsLong: boolean }): Promise<Workspace> {
  const { learnings, scope } = project.loaded.settings;
  return openWorkspace(project.root, childEnvironment(), { recordsDir: learnings.dir, scope, runsLong });
}

/** Assembles a run from settings and choices. The project's commands must be approved, or be ralph's own. */
export async function assembleRun(session: Session, project: Project, chosen: Chosen): Promise<PreparedRun> {
  const { settings } = project.loaded;
  const noteSession = sessionOf(project.root, chosen.options);
  const runId = newId("run", 5);
  const agents = chooseAgents(settings, {
    defaultPermission: await defaultPermission(settings.sandbox),
    onUnpriced: reportUnpriced(project, runId),
  });
  const env = childEnvironment();
  const workspace = chosen.workspace ?? (await openRepository(project, { runsLong: false }));
  const confinement = await confinementOf(project, workspace);
  const chosenOptions = runOptions(settings, chosen);
  const pullRequest = await planPullRequest(workspace, chosen.options, { ...chosenOptions, runId });
  // A dry run ends before an answer.
  const synthesize = skillWriter(settings, { root: project.root, ...confinement });
  return {
    project,
    runId,
    root: project.root,
    projectRoot: project.root,
    folder: join(project.root, ".ralph"),
    cleanFolder: cleanFolder(project.root),
    trees: workTrees(project, workspace),
    db: project.db,
    log: project.log,
    clock: session.clock,
    workspace,
    noteSession,
    pullRequest,
    memory: memoryOf(session, project, {
      holdout: holdoutShare(settings.memory.holdout, await countTasks(project.db)),
      noteSession,
      synthesize,
    }),
    agents,
    env,
    owner: thisOwner(),
    ...confinement,
    options: {
      ...chosenOptions,
      branch: pullRequest?.branch ?? chosenOptions.branch,
      ...(await strategyOf(settings, agents, session.clock.now())),
    },
    answer: answerRequests(session, project),
    unapproved: (tasks) => unapprovedTasks(tasks, projectApprovals(project.root)),
    confirmRed: askAboutRed(session, chosen.options),
    extraction: extractionOf(settings),
    reviewer: reviewerOf(settings),
    chooser: chooserOf(settings),
  };
}

function workTrees(project: Project, main: Workspace): LoopSetup["trees"] {
  const { learnings, scope } = project.loaded.settings;
  const options = { recordsDir: learnings.dir, scope, runsLong: true };
  return {
    folder: treesFolder(project.root),
    open: async (top, slot) => {
      const root = join(top, main.prefix);
      const workspace = await openWorkspace(root, childEnvironment(), { ...options, slot });
      const { sandbox } = await confinementOf(project, main, workspace);
      return { root: workspace.root, workspace, sandbox };
    },
  };
}

/**
 * Publishes, once per model, that its cost is unknown: its agent states tokens but the price table does not have it, or there
 * is a budget that does not count it.
 */
function reportUnpriced(
  { log, loaded }: Project,
  runId: string,
): NonNullable<NonNullable<Parameters<typeof chooseAgents>[1]>["onUnpriced"]> {
  const { budgetUsd } = loaded.settings.limits;
  const reported = new Set<string>();
  return ({ agent, model, hasTokens }) => {
    const key = `${agent} ${model}`;
    if (reported.has(key) || (!hasTokens && budgetUsd === null)) return;
    reported.add(key);
    log.publish({ type: "cost.unknown", runId, data: { agent, model, budgetUsd } });
  };
}

/** Returns the question whether to attempt tasks although verification fails before them; null without a terminal. */
function askAboutRed(session: Session, options: Invocation["options"]): LoopSetup["confirmRed"] {
  if (!session.canAsk || session.json || options["yes"] === true) return null;
  return () => session.confirm("Verification fails before any attempt. Start anyway?", false);
}

/** Returns who extracts learnings: for each agent's sessions that agent, by its cheapest model; the first by the one that is set. */
function extractionOf(settings: Settings): LoopSetup["extraction"] {
  const { extract, extractModel, extractBudgetUsd } = settings.learnings;
  if (extract === "off") return null;
  const sessions = settings.agent.map((name, index) => {
    const agent = readOnlyAgent(settings, name);
    // The name of a model belongs to one agent.
    const model = (index === 0 ? extractModel : null) ?? agent.tiers[0];
    return [agent.name, { agent, model }] as const;
  });
  const spent = { usd: 0, unpriced: 0, failures: 0 };
  return { when: extract, sessions: new Map(sessions), budgetUsd: extractBudgetUsd, spent };
}

function reviewerOf({ review, ...settings }: Settings): LoopSetup["reviewer"] {
  if (review.agent === null) return null;
  const agent = readOnlyAgent({ ...settings, review }, review.agent);
  return { agent, model: review.model ?? agent.defaultModel };
}

function chooserOf(settings: Settings): LoopSetup["chooser"] {
  const [name] = settings.agent;
  const { enabled, select, maxLearnings } = settings.memory;
  if (!enabled || select === "words" || maxLearnings === 0 || name === undefined) return null;
  const agent = readOnlyAgent(settings, name);
  return { agent, model: agent.tiers[0], budgetUsd: 0.5, timeoutMs: 60_000 };
}

/** Adopts the changes of lists early if a named task is only in a list yet. */
async function findNew(project: Project, named: OptionValue, now: Date): Promise<void> {
  const ids = Array.isArray(named) ? named : [];
  const known = await Promise.all(ids.map((id) => getTask(project.db, id)));
  if (known.every((task) => task !== undefined)) return;
  await syncLists(project.db, { projectRoot: project.root }, now);
}

async function chooseTasks(
  project: Project,
  named: string | readonly string[] | undefined,
): Promise<readonly string[] | null> {
  const tasks = await listTasks(project.db);
  if (tasks.length === 0) throw noTasks(project.root);
  if (!Array.isArray(named) || named.length === 0) return null;
  for (const id of named) await requireTask(project.db, id);
  return named;
}

interface Chosen {
  readonly only: readonly string[] | null;
  readonly spec: string | null;
  readonly template: PromptTemplate | null;
  readonly options: Invocation["options"];
  readonly adoptLists?: boolean;
  /** Absent: it is opened. */
  readonly workspace?: Workspace;
}

function runOptions(
  settings: Settings,
  { only, spec, template, options, adoptLists = false }: Chosen,
): Omit<RunOptions, keyof Awaited<ReturnType<typeof strategyOf>>> {
  const { completion, onFailure, limits, commit, memory } = settings;
  const { verifyGuard, protect, allow, verifySetup, verifyBaseline } = settings;
  const { count, remote } = settings.workers;
  return {
    ...{ only, spec, template, completion, onFailure, limits, commit, memory },
    ...{ verifyGuard, protect, allow, verifySetup, verifyBaseline },
    skills: settings.skills,
    verify: settings.verify ?? [],
    allowDirty: options["allowDirty"] === true,
    adoptLists,
    allowRed: options["allowRed"] === true,
    ignoreLimits: options["ignoreLimits"] === true,
    branch: typeof options["branch"] === "string" ? options["branch"] : null,
    workers: count > 1 || remote !== null || options["worktree"] === true ? Math.max(1, count) : null,
    remote,
    session: typeof options["name"] === "string" ? sessionName(options["name"]) : null,
  };
}
