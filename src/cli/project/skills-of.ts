import { safe } from "../../base/safe-text.ts";
import { openSkillActions, type SkillActions } from "../../memory/skill-actions.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { type Project, type Session, withProject } from "../shell/command.ts";
import { listenForStop } from "../shell/stop-signals.ts";
import { requireApproval } from "../trust/approval.ts";
import { confinementOf } from "../trust/confinement.ts";
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
    await requireApproval(session, project);
    const confinement = await confinementOf(project);
    const synthesize = skillWriter(settings, { root: project.root, ...confinement });
    const signals = listenForStop({
      notify: () => session.note("stopping the agent"),
      leave: () => undefined,
    });
    const onTrouble = (why: string): void =>
      session.note(safe`warning: a skill keeps the words of its template: ${safeLine(why, 300)}`);
    try {
      const actions = skillsOf(session, project, { synthesize, signal: signals.stop, onTrouble });
      return await work(actions, project);
    } finally {
      signals.reraise();
      signals.dispose();
    }
  });
}
