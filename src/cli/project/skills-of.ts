import type { Confinement } from "../../agents/port/confinement.ts";
import { thisOwner } from "../../agents/supervision.ts";
import { RalphError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { Settings } from "../../config/settings.ts";
import type { decideSkills } from "../../loop/decide-skills.ts";
import type { Synthesize } from "../../memory/port/memory-kind.ts";
import { openSkillActions, type SkillActions } from "../../memory/skill-actions.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { storedLine } from "../../trust/stored-text.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import { type Project, type Session, withProject } from "../shell/command.ts";
import { askingModel } from "../trust/confinement.ts";
import { askAgent, readOnlyAgent } from "./choose-agents.ts";

type Rewriting = Parameters<typeof openSkillActions>[0]["rewriting"];

/** Opens the actions on the skills of a project with its settings. */
export function skillsOf(
  { clock }: Pick<Session, "clock">,
  { root, db, loaded }: Project,
  rewriting?: Rewriting,
): SkillActions {
  const { learnings, skills: folders } = loaded.settings;
  const setup = { db, root, recordsDir: learnings.dir, folders, now: () => clock.now() };
  return openSkillActions(rewriting ? { ...setup, rewriting } : setup);
}

/**
 * Opens the project and the actions that learn skills, runs `work` and closes the project. With `skills.writer: agent`, a
 * signal ends the agent.
 *
 * @throws RalphError `RALPH_TRUST_NOT_APPROVED` with `skills.writer: agent`
 */
export async function withSkillWriter<T>(
  session: Session,
  work: (actions: SkillActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, {}, async (project) => {
    const { settings } = project.loaded;
    if (settings.skills.writer === "template") return await work(skillsOf(session, project), project);
    const onTrouble = (why: string): void =>
      session.note(safe`warning: a skill keeps the words of its template: ${safeLine(why, 300)}`);
    return askingModel(session, project, (place, signal) => {
      const synthesize = skillWriter(settings, place);
      return work(skillsOf(session, project, { synthesize, signal, onTrouble }), project);
    });
  });
}

/** Returns what carries out a person's decisions on skills. */
export async function skillDecider(
  { clock }: Pick<Session, "clock">,
  { root, db, log, loaded }: Project,
): Promise<Parameters<typeof decideSkills>[0]> {
  const { commit, learnings } = loaded.settings;
  const workspace = commit.enabled ? await workspaceOf(root, learnings.dir) : null;
  return { db, log, clock, workspace, runId: null, owner: thisOwner(), holdId: newId("run", 5) };
}

/** Returns null outside a git repository. */
async function workspaceOf(root: string, recordsDir: string): Promise<Workspace | null> {
  try {
    return await openWorkspace(root, childEnvironment(), { recordsDir });
  } catch (error) {
    if (error instanceof RalphError && error.code === "RALPH_GIT_NO_REPOSITORY") return null;
    throw error;
  }
}

/** Maximum cost per process. */
const maxUsd = 0.5;
/** Maximum number of sessions per process that report no cost. */
const maxUnpriced = 5;
const timeoutMs = 180_000;

/**
 * Returns what asks the configured agent's cheapest model to rewrite a skill (SKILL-2), within its budget;
 * null: the template's words stand. The session runs in an empty folder, without ralph's tools and with the least
 * permission that the agent has. The agent must be approved.
 */
export function skillWriter(
  settings: Settings,
  { root, isolation, sandbox }: Confinement & { readonly root: string },
): Synthesize | null {
  const [name] = settings.agent;
  const { writer } = settings.skills;
  if (writer === "template" || name === undefined) return null;
  const agent = readOnlyAgent(settings, name);
  const spent = { usd: 0, unpriced: 0 };
  return async (prompt, signal) => {
    if (signal.aborted || spent.usd >= maxUsd || spent.unpriced >= maxUnpriced) return null;
    const model = agent.tiers[0];
    const question = { root, taskId: "skills", model, prompt, signal, isolation, sandbox, timeoutMs };
    const result = await askAgent(agent, question);
    if (result.costUsd === null) spent.unpriced += 1;
    else spent.usd += result.costUsd;
    if (result.error) throw new Error(result.error.message);
    return result.finalMessage;
  };
}

type Learned = Awaited<ReturnType<SkillActions["aggregate"]>>;

/** Returns the fields of an aggregation for `--json`. */
export function learnedJson({ proposals, ...counts }: Learned): object {
  return {
    success: true,
    ...counts,
    proposals: proposals.map(({ id, name, kind, category, reason }) => ({
      id,
      name,
      kind,
      category,
      reason,
    })),
  };
}

/** Names the skills that were proposed. */
export function noteProposals(session: Session, { proposals }: Learned): void {
  for (const { name, kind, reason } of proposals)
    session.note(safe`proposed to ${kind} the skill ${storedLine(name)}: ${storedLine(reason)}`);
}
