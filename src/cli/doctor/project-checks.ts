import { isAbsolute } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import { RalphError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { LoadedSettings, Settings } from "../../config/settings.ts";
import { preflight } from "../../outcome/preflight.ts";
import { configIsApproved, listApprovable } from "../project/approval.ts";
import { configuredAgent } from "../run/choose-agents.ts";
import type { Project, Session } from "../shell/command.ts";
import { type Check, errorCheck, failed, passed, warned } from "./check.ts";

/** The settings, if they can be read, and what is to be said of them. */
export async function checkConfig(
  session: Session,
): Promise<{ readonly loaded: LoadedSettings | null; readonly check: Check }> {
  try {
    const loaded = await session.loadSettings();
    const files = new Set(Object.values(loaded.origins).filter((origin) => isAbsolute(origin)));
    const detail = files.size === 0 ? "no file: the defaults" : [...files].join(", ");
    return { loaded, check: passed({ check: "config", detail }) };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { loaded: null, check: errorCheck("config", error) };
  }
}

/** Whether the configured agents are there; of a list, one that is there is enough for a run. */
export async function checkAgents(project: Pick<Project, "root" | "loaded">): Promise<readonly Check[]> {
  const { settings } = project.loaded;
  const trusted = configIsApproved(project);
  const checks = await Promise.all(
    settings.agent.map((name) =>
      trusted || !hasProgram(settings, name) ? checkAgent(settings, name) : notProbed(name),
    ),
  );
  const usable = checks.some(({ status }) => status === "ok");
  return checks.map((check) => (usable && check.status === "fail" ? { ...check, status: "warn" } : check));
}

/** Asking a program for its version executes it. */
function hasProgram({ agents }: Settings, name: string): boolean {
  return (agents[name]?.program ?? null) !== null || (agents[name]?.argv ?? null) !== null;
}

function notProbed(name: string): Check {
  const detail = "not looked for: the configuration names its program and is not approved";
  return warned(
    { check: `agent ${name}`, detail },
    "look at it with: ralph trust show, then: ralph trust approve",
  );
}

async function checkAgent(settings: Settings, name: string): Promise<Check> {
  const check = `agent ${name}`;
  let agent: Agent;
  try {
    agent = configuredAgent(settings, name);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return errorCheck(check, error);
  }
  const probe = await agent.probe();
  if (!probe.found) return failed({ check, detail: `there is no program ${probe.program}` }, probe.hint);
  const version = probe.version === null ? "" : ` ${probe.version}`;
  const found = { check, detail: `${probe.program}${version}, permission ${agent.permission}` };
  if (!probe.problem) return passed(found);
  return warned({ check, detail: `${found.detail}: ${probe.problem.detail}` }, probe.problem.hint);
}

/** Checks that verification is configured and has what it needs to start (LOOP-21); executes none of it. */
export async function checkVerification({ verify }: Settings, root: string): Promise<Check> {
  const check = "verification";
  if (verify && verify.length > 0) {
    const place = { cwd: root, env: childEnvironment() };
    for (const { run } of verify) {
      const found = await preflight(run, place);
      if (!found) continue;
      const detail = `\`${run}\` cannot be executed: ${found.missing}`;
      return failed(
        { check, detail },
        "install or add what is missing, or correct verify in .ralph/config.yaml",
      );
    }
    return passed({ check, detail: verify.map(({ run }) => run).join(", then ") });
  }
  const detail = "none: what the agent calls done is believed when something changed";
  const hint = 'set `verify: ["npm test"]`, or what checks your project, in .ralph/config.yaml';
  return verify ? passed({ check, detail: `${detail} (verify: [])` }) : warned({ check, detail }, hint);
}

/** Whether all that the project's own files make ralph execute is approved (TRUST-5). */
export async function checkApprovals(project: Pick<Project, "root" | "db" | "loaded">): Promise<Check> {
  try {
    const items = await listApprovable(project);
    const open = items.filter(({ approved }) => !approved);
    if (open.length === 0)
      return passed({ check: "approvals", detail: `${count(items.length, "item")}, all approved` });
    const detail = `not approved: ${open[0]?.what}${open.length > 1 ? ` (and ${open.length - 1} more)` : ""}`;
    return warned(
      { check: "approvals", detail },
      "look at it with: ralph trust show, then: ralph trust approve",
    );
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return errorCheck("approvals", error);
  }
}
