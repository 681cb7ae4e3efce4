import { thisOwner } from "../../agents/supervision.ts";
import { RalphError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import type { decideSkills } from "../../loop/decide-skills.ts";
import { openSkillActions, type SkillActions } from "../../memory/skill-actions.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import { type Project, type Session, withProject } from "../shell/command.ts";
import { askingModel } from "../trust/confinement.ts";
import { skillWriter } from "./skill-writer.ts";

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
