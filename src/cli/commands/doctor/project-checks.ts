import { isAbsolute } from "node:path";
import type { Agent } from "../../../agents/port/agent.ts";
import { defaultPermission } from "../../../agents/sandbox.ts";
import { count } from "../../../base/text.ts";
import type { LoadedSettings } from "../../../config/settings.ts";
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
