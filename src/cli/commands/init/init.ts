import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fixable, RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import { findProject } from "../../../config/find-project.ts";
import type { LoadedSettings } from "../../../config/settings.ts";
import { editedSettings, settingsFile } from "../../../config/settings-file.ts";
import { commitFault } from "../../../loop/try-commits.ts";
import { writeFileSafely } from "../../../trust/safe-file.ts";
import { safeText } from "../../../trust/safe-text.ts";
import { strategyText } from "../../../ui/strategy-text.ts";
import { openWorkspace } from "../../../workspace/open-workspace.ts";
import { chooseAgents, strategyOf } from "../../project/choose-agents.ts";
import { sharingOf } from "../../project/hivemind-of.ts";
import { preparePrivateFolder } from "../../project/private-folder.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { optionalText, textOptions } from "../../shell/io.ts";
import { listApprovable, projectApprovals } from "../../trust/approval.ts";
import type { Approvable } from "../../trust/executed-items.ts";
import { refuseForeign } from "../../trust/refuse-foreign.ts";
import { agreeOnVerification, isUsable } from "./agree-on-verification.ts";
import { agreeOnPermission, type FoundAgent, findAgent } from "./find-agent.ts";
import { nextCommand, writeWorkflow } from "./next-command.ts";
import { type InitPlan, reportInit } from "./report-init.ts";

/** `ralph init`: sets ralph up in this project (UX-1, LOOP-5). */
export const command: CommandSpec = {
  description:
    "Finds an agent, proposes verification commands, writes a minimal .ralph/config.yaml, creates the store and runs the accepted commands once. Instead of an answer you can type a command. Run it again to change the agent or the verification; it changes nothing else in an existing configuration.",
  examples: ["ralph init", "ralph init --yes", 'ralph init --agent claude --verify "npm test"'],
  options: [
    { flags: "--agent <name>", description: "use this agent, even if it is not installed" },
    { flags: "--verify <command>", description: "verify with this command (repeatable)", multiple: true },
    { flags: "--ci", description: "also write a workflow for GitHub Actions" },
    { flags: "--yes", description: "accept the proposals without asking" },
  ],
  run: async (session, { options }) => {
    const root = findProject(session.cwd)?.root ?? session.cwd;
    await refuseForeign(root);
    await openWorkspace(root, childEnvironment(), { needCommit: false });
    const path = join(root, ".ralph", "config.yaml");
    const typed = { verify: textOptions(options["verify"]), yes: options["yes"] === true };
    const asked = { root, path, wanted: optionalText(options["agent"]) ?? null, typed };
    const plan = await (existsSync(path) ? revise : compose)(session, asked);
    const next = await setUp(session, plan);
    await noteCommitFault(session, root);
    const models = plan.isNew ? await describeModels(session) : null;
    reportInit(session, { ...plan, next, models });
    if (options["ci"] === true) await writeWorkflow(session, root);
  },
};

/** Says how the strategy uses the agent's models; null: it uses one, or the agent is not set up yet. */
async function describeModels(session: Session): Promise<SafeText | null> {
  try {
    const { settings } = await session.loadSettings();
    const agents = chooseAgents(settings);
    const { strategy, flagModel } = await strategyOf(settings, agents, session.clock.now());
    return flagModel === null ? strategyText(strategy, agents[0].tiers) : null;
  } catch (error) {
    fixable(error);
    return null;
  }
}

/** Tries what ralph's commits need, where there is a commit already. */
async function noteCommitFault(session: Session, root: string): Promise<void> {
  try {
    const { template } = (await session.loadSettings()).settings.commit;
    const fault = await commitFault(await openWorkspace(root, childEnvironment()), template);
    if (fault) session.note(safe`warning: ${safeText(fault.message)}\nhint: ${safeText(fault.hint)}`);
  } catch (error) {
    const { code, message, hint = "run `ralph doctor`" } = fixable(error);
    if (!/^RALPH_GIT_(?:COMMIT|LOCKED)/.test(code)) return;
    session.note(safe`warning: ${safeText(message)}\nhint: ${safeText(hint)}`);
  }
}

interface Asked {
  readonly root: string;
  readonly path: string;
  /** The agent that the options name. */
  readonly wanted: string | null;
  readonly typed: { readonly verify: readonly string[]; readonly yes: boolean };
}

/** Decides everything about a new configuration before anything is written. */
async function compose(session: Session, { root, path, wanted, typed }: Asked): Promise<InitPlan> {
  const loaded = await session.loadSettings();
  const agent = await findAgent(loaded.settings, wanted);
  const permission = await agreeOnPermission(session, loaded.settings, { agent: agent.name, yes: typed.yes });
  const asked = typed.yes || !session.canAsk ? null : sharingOf({ root, loaded });
  const shares = asked === null || (await session.confirm(safe`${asked} Share it?`, true));
  const verify = await agreeOnVerification(session, root, typed);
  const content = settingsFile({
    agent: agent.name,
    argv: agent.argv,
    verify: verify.filter(isUsable).map(({ command }) => command),
    permission: permission.isDefault ? undefined : permission.level,
    shares,
  });
  return { root, path, isNew: true, content, agent, permission, verify };
}

/** Decides what to change in an existing configuration: what the options state, or a verification that is missing. */
async function revise(session: Session, { root, path, wanted, typed }: Asked): Promise<InitPlan> {
  const loaded = await session.loadSettings();
  const { settings, projectFile } = loaded;
  const isMissing = session.canAsk
    ? (settings.verify ?? []).length === 0
    : settings.verify === null && typed.yes;
  const asks = typed.verify.length > 0 || isMissing;
  const agent = wanted === null ? null : await findAgent(settings, wanted);
  const agreed = asks ? await agreeOnVerification(session, root, typed) : [];
  const verify = agreed.some(isUsable) ? agreed : null;
  if (agent === null && verify === null) return { root, path, isNew: false, content: null, agent, verify };
  const text = await readFile(path, "utf8");
  if (sha256(text) !== projectFile?.sha256) throw changedMeanwhile(path);
  const content = editedSettings(text, {
    ...(agent && { agent: agent.name, argv: argvToWrite(agent, loaded, path) }),
    ...(verify && { verify: verify.filter(isUsable).map(({ command }) => command) }),
  });
  return { root, path, isNew: false, content, agent, verify };
}

/** Returns the argv to add for an agent. A section `agents` that a person wrote is not rewritten. */
function argvToWrite(
  { argv }: FoundAgent,
  { settings, origins }: LoadedSettings,
  path: string,
): readonly string[] | undefined {
  if (!argv || isDeepStrictEqual(settings.agents.acp.argv, argv)) return undefined;
  const isWritten = Object.entries(origins).some(([key, file]) => key.startsWith("agents.") && file === path);
  if (!isWritten) return argv;
  throw new RalphError(
    "RALPH_CONFIG_UNREADABLE",
    `cannot change ${path}: it has a section \`agents\` of its own`,
    { hint: `set \`agent: acp\` and \`agents.acp.argv: ${JSON.stringify(argv)}\` there` },
  );
}

function changedMeanwhile(path: string): RalphError {
  return new RalphError("RALPH_CONFIG_UNREADABLE", `cannot change ${path}: it changed while ralph read it`, {
    hint: "run `ralph init` again",
  });
}

/** Writes the missing files and the changes, and returns the next command for the user. */
async function setUp(session: Session, plan: InitPlan): Promise<string> {
  const { root, path, content } = plan;
  const approvals = projectApprovals(root);
  approvals.list();
  const before = plan.isNew ? [] : await approvables(root, await session.loadSettings());
  await preparePrivateFolder(root);
  if (content !== null) await writeFileSafely(path, content, { root, mode: 0o644 });
  return withProject(session, { create: true, own: true }, async (project) => {
    const items = await approvables(root, project.loaded);
    const isWritten = content !== null && project.loaded.projectFile?.sha256 === sha256(content);
    if (isWritten) await approvals.approve(items.filter((item) => isAccepted(item, plan, before)));
    const open = await approvables(root, project.loaded);
    if (open.some(({ approved }) => !approved)) return "ralph trust show";
    return await nextCommand(root, project.db);
  });
}

async function approvables(root: string, loaded: LoadedSettings): Promise<readonly Approvable[]> {
  return (await listApprovable({ root, loaded, promptFile: null, db: null })).items;
}

/** Accepts everything in a new file. Of a changed one: what was approved before, and what the user has just stated. */
function isAccepted(
  item: Approvable,
  { isNew, agent, verify }: InitPlan,
  before: readonly Approvable[],
): boolean {
  if (
    isNew ||
    before.some(({ kind, sha256, approved }) => approved && kind === item.kind && sha256 === item.sha256)
  )
    return true;
  // An agent's program, arguments or permission in the file are not what the user stated.
  if (item.kind === "agent") {
    const stated = agent && (agent.argv ?? [agent.name]).join(" ");
    return agent !== null && item.place === `agents.${agent.name}` && item.text === stated;
  }
  return verify !== null && /^verif(?:y\[|ication$)/.test(item.place);
}
