import { type SafeText, safe } from "../../../base/safe-text.ts";
import { decideSkills } from "../../../loop/decide-skills.ts";
import type { SkillActions, SkillDecision, SkillView } from "../../../memory/skill-actions.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { skillDecider } from "../../project/skill-decider.ts";
import { skillsOf } from "../../project/skills-of.ts";
import { type Project, type Session, withProject } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";

type DecidedSkill = Parameters<Parameters<typeof decideSkills>[2]>[0];

/** Opens the project and its skills, runs `work` and closes the project. */
export async function withSkills<T>(
  session: Session,
  work: (actions: SkillActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, {}, async (project) => {
    return await work(skillsOf(session, project), project);
  });
}

/** Carries out decisions, each with a commit of its own, and prints what was done. */
export async function decide(
  session: Session,
  project: Project,
  plans: readonly (() => Promise<SkillDecision>)[],
): Promise<void> {
  const decider = await skillDecider(session, project);
  const isCommitted = decider.workspace !== null;
  const done: DecidedSkill[] = [];
  try {
    await decideSkills(decider, plans, (decided) => {
      done.push(decided);
      if (!session.json) report(session, decided, isCommitted);
    });
  } finally {
    if (session.json && (done.length > 0 || plans.length === 0))
      session.out(storedJson({ success: done.length === plans.length, skills: done.map(decidedJson) }));
  }
}

const verbs = { accept: "accepted", change: "updated", retire: "retired", restore: "restored" } as const;

function report(session: Session, decided: DecidedSkill, isCommitted: boolean): void {
  const { skill, kind, changed, commit, uncommitted } = decided;
  const where = commit === null ? "" : safe` (commit ${storedText(commit.slice(0, 9))})`;
  session.out(safe`${verbs[kind]} ${storedText(skill.name)}${where}`);
  for (const path of changed) session.note(safe`  ${storedText(path)}`);
  if (changed.length === 0 && commit === null) session.note("  no file changed");
  if (uncommitted.length === 0) return;
  const files = uncommitted.map((path) => `'${path.replaceAll("'", "'\\''")}'`).join(" ");
  if (isCommitted) session.note(safe`git ignores ${storedText(uncommitted.join(", "))}: not committed`);
  else
    session.note(
      safe`hint: commit them before the next run: git add -A ${storedText(files)} && git commit -m "Skill ${storedText(skill.name)}"`,
    );
}

function decidedJson({ skill, kind, changed, commit, uncommitted }: DecidedSkill): object {
  return { name: skill.name, kind, status: skill.status, files: changed, commit, uncommitted };
}

/** Returns a skill for `--json`. */
export function skillJson(skill: SkillView): object {
  const { name, category, description, status, tags, files, source, acceptedAt, updatedAt } = skill;
  const { retiredAt, reason } = skill;
  return {
    ...{ name, category, description, status, tags, files, source },
    ...{ acceptedAt, updatedAt, retiredAt, reason },
  };
}

/** `ios26-learned  Patterns and …`. */
export function nameAndText(name: string, text: string, width: number): SafeText {
  return safe`${storedText(name).padEnd(width)}  ${storedLine(text, 160)}`;
}

/** Returns the ids given, or those of all proposals that wait with `--all`.
 *
 * @throws RalphError `RALPH_USAGE` for neither or both */
export async function chosenIds(
  actions: SkillActions,
  given: string | readonly string[] | undefined,
  all: boolean,
): Promise<readonly string[]> {
  const ids = typeof given === "string" ? [given] : (given ?? []);
  if (ids.length > 0 === all) {
    throw usageError(
      all ? "ids and --all cannot be combined" : "no ids given",
      "run `ralph skills list` to see what waits, then name a proposal or use --all",
    );
  }
  return all ? (await actions.pending()).map(({ id }) => id) : [...new Set(ids)];
}
