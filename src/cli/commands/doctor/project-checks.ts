import { isAbsolute } from "node:path";
import { agentNames } from "../../../agents/agents.ts";
import type { Agent, AgentProbe } from "../../../agents/port/agent.ts";
import { knownAcpAgents } from "../../../agents/port/known-acp-agents.ts";
import { probeProgram } from "../../../agents/port/probe-program.ts";
import { defaultPermission } from "../../../agents/sandbox.ts";
import { fixable } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import { childEnvironment } from "../../../config/environment.ts";
import type { LoadedSettings, Settings } from "../../../config/settings.ts";
import { examineSkills } from "../../../memory/skill-actions.ts";
import { configuredAgent } from "../../project/choose-agents.ts";
import { unofferedModels } from "../../project/offered-models.ts";
import type { Project, Session } from "../../shell/command.ts";
import { listApprovable, mayStart } from "../../trust/approval.ts";
import { approveHint, type Check, errorCheck, failed, passed, warned } from "./check.ts";

/** Loads the settings; null with a failed check when they cannot be read. */
export async function checkConfig(
  session: Session,
): Promise<{ readonly loaded: LoadedSettings | null; readonly check: Check }> {
  try {
    const loaded = await session.loadSettings();
    const files = new Set(Object.values(loaded.origins).filter((origin) => isAbsolute(origin)));
    const detail = files.size === 0 ? "no file, using the defaults" : [...files].join(", ");
    const warnings = loaded.warnings.join("; ");
    const check =
      warnings === ""
        ? passed({ check: "config", detail })
        : warned({ check: "config", detail: warnings }, "correct or remove them: they have no effect");
    return { loaded, check };
  } catch (error) {
    return { loaded: null, check: errorCheck("config", error) };
  }
}

/** Checks that the configured agents are installed. A run needs only one of a list. */
export async function checkAgents(project: Pick<Project, "root" | "loaded">): Promise<readonly Check[]> {
  const { settings } = project.loaded;
  const checks = await Promise.all(
    settings.agent.map((name) => (mayStart(project, name) ? checkAgent(project, name) : notProbed(name))),
  );
  const usable = checks.some(({ status }) => status === "ok");
  return checks.map((check) => (usable && check.status === "fail" ? { ...check, status: "warn" } : check));
}

function notProbed(name: string): Check {
  const detail = "not checked: the configuration that names its program is not approved";
  return warned({ check: `agent ${name}`, detail }, approveHint);
}

async function checkAgent({ root, loaded }: Pick<Project, "root" | "loaded">, name: string): Promise<Check> {
  const { settings } = loaded;
  const check = `agent ${name}`;
  let agent: Agent;
  try {
    agent = configuredAgent(settings, name, { defaultPermission: await defaultPermission(settings.sandbox) });
  } catch (error) {
    return errorCheck(check, error);
  }
  const probe = await agent.probe();
  if (!probe.found) return failed({ check, detail: `program not found: ${probe.program}` }, probe.hint);
  const version = probe.version === null ? "" : ` ${probe.version}`;
  const login = probe.isLoggedIn === true ? ", logged in" : "";
  const payment = agent.payment?.() ?? null;
  const paid = payment === null ? "" : `, paid by ${payment.by}`;
  const found = {
    check,
    detail: `${probe.program}${version}, permission ${agent.permission}${login}${paid}`,
  };
  if (payment?.warning && !probe.problem)
    return warned({ check, detail: `${found.detail}: a login is there too` }, payment.warning);
  const [unknown] = probe.problem ? [] : await unofferedModels(agent, settings, root);
  if (unknown) return warned({ check, detail: `${found.detail}: it ${unknown.what}` }, unknown.hint);
  if (!probe.problem) return passed(found);
  return warned({ check, detail: `${found.detail}: ${probe.problem.detail}` }, probe.problem.hint);
}

/** Reports the skills that cannot be read; nothing for a project without skills (SKILL-4). */
export async function checkSkills({
  root,
  loaded,
}: Pick<Project, "root" | "loaded">): Promise<readonly Check[]> {
  const { skills, problems } = await examineSkills(root, loaded.settings.skills);
  if (problems.length > 0) {
    const detail = problems.join("; ");
    return [
      warned({ check: "skills", detail }, "correct or remove these files: prompts do not contain them"),
    ];
  }
  return skills === 0 ? [] : [passed({ check: "skills", detail: count(skills, "skill") })];
}

/** Checks that everything the project's files make ralph execute is approved (TRUST-5). */
export async function checkApprovals(project: Pick<Project, "root" | "db" | "loaded">): Promise<Check> {
  try {
    const { items } = await listApprovable(project);
    const open = items.filter(({ approved }) => !approved);
    if (open.length === 0)
      return passed({ check: "approvals", detail: `${count(items.length, "item")}, all approved` });
    const detail = `not approved: ${open[0]?.what}${open.length > 1 ? ` (and ${open.length - 1} more)` : ""}`;
    return warned({ check: "approvals", detail }, approveHint);
  } catch (error) {
    return errorCheck("approvals", error);
  }
}

type Place = Parameters<typeof mayStart>[0];

/**
 * Describes the agents that the project does not use, a line for each installed one and one for the others. None of them
 * is a problem, and none is asked for an answer of its model.
 */
export async function describeOtherAgents(project: Place): Promise<readonly Check[]> {
  const { settings } = project.loaded;
  const { argv } = settings.agents.acp;
  const names = agentNames.filter((name) => !["acp", "command", ...settings.agent].includes(name));
  // A program that an unapproved file names is not started.
  const checkable = names.filter((name) => mayStart(project, name));
  const others = knownAcpAgents.filter((known) => known.argv[0] !== argv?.[0]);
  const [known, acp] = await Promise.all([
    Promise.all(checkable.map(async (name) => ({ name, probe: await probeOf(settings, name) }))),
    Promise.all(
      others.map(async ({ name, argv: [program] }) => ({
        name,
        probe: await probeProgram(program, childEnvironment(), ""),
      })),
    ),
  ]);
  const missing = known.flatMap(({ name, probe }) => (probe && !probe.found ? [{ name, ...probe }] : []));
  return [
    ...known.flatMap(({ name, probe }) => (probe?.found ? [describe(name, probe)] : [])),
    ...acp.flatMap(({ name, probe }) => (probe.found ? [describeAcp(name, probe)] : [])),
    ...(missing.length === 0 ? [] : [describeMissing(missing)]),
  ];
}

/** Returns null for an agent that refuses its settings here. */
async function probeOf(settings: Settings, name: string): Promise<AgentProbe | null> {
  try {
    return await configuredAgent(settings, name).probe();
  } catch (error) {
    fixable(error);
    return null;
  }
}

type Found = Extract<AgentProbe, { found: true }>;
type Missing = Extract<AgentProbe, { found: false }>;

function describe(name: string, { program, version, isLoggedIn, problem }: Found): Check {
  const login = isLoggedIn === undefined ? "login unknown" : isLoggedIn ? "logged in" : "";
  const state = problem ? problem.detail : login;
  const detail = `${program} ${version ?? "(unknown version)"}, headless, ${state}; not configured`;
  return passed({ check: `agent ${name}`, detail: problem ? `${detail}. ${problem.hint}` : detail });
}

function describeAcp(name: string, { program, version }: Found): Check {
  const detail = `${program} ${version ?? "(unknown version)"}, headless by ACP, login unknown`;
  return passed({ check: `agent ${name}`, detail: `${detail}; not configured (ralph init --agent ${name})` });
}

function describeMissing(missing: readonly (Missing & { readonly name: string })[]): Check {
  const list = missing.map(({ name, hint }) => {
    const install = /npm i -g \S+[\w]/.exec(hint)?.[0];
    return install ? `${name} (${install})` : name;
  });
  return passed({ check: "other agents", detail: `not installed: ${list.join(", ")}` });
}
