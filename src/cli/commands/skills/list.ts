import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { ProposalView, SkillActions } from "../../../memory/skill-actions.ts";
import { storedJson, storedLine } from "../../../trust/stored-text.ts";
import { painter } from "../../../ui/paint.ts";
import { skillsOf } from "../../project/skills-of.ts";
import { type CommandSpec, inProject, type Session } from "../../shell/command.ts";
import { nameAndText, skillJson } from "./render-skills.ts";

/** `ralph skills list`. */
export const command: CommandSpec = {
  description:
    "Lists the proposals that wait for you, the skills that ralph wrote, and those that people wrote in the same folders.",
  examples: ["ralph skills list", "ralph skills list --json"],
  run: inProject(async (session, project) => {
    const actions = skillsOf(session, project);
    const overview = await actions.overview();
    if (session.json) session.out(storedJson(toJson(overview)));
    else render(session, overview);
  }),
};

type Overview = Awaited<ReturnType<SkillActions["overview"]>>;

/** Returns the skills that people wrote. */
function ownOf({ skills, files }: Overview): Overview["files"]["skills"] {
  const names = new Set<string>(skills.map(({ name }) => name));
  return files.skills.filter(({ name }) => !names.has(name));
}

function toJson(overview: Overview): object {
  const { skills, proposals, files } = overview;
  const own = ownOf(overview).map(({ name, description, tags, paths }) => {
    return { name, description, tags, files: paths };
  });
  return {
    proposals: proposals.map(proposalJson),
    skills: skills.map(skillJson),
    own,
    problems: files.problems,
  };
}

function proposalJson(proposal: ProposalView): object {
  const { id, name, category, kind, description, reason, runId, createdAt } = proposal;
  return { id, name, category, kind, description, reason, runId, createdAt };
}

function render(session: Session, overview: Overview): void {
  const { skills, proposals, files } = overview;
  const own = ownOf(overview);
  const paint = painter(session.screen.colour);
  const width = Math.max(0, ...[...skills, ...proposals, ...own].map(({ name }) => name.length));
  for (const { id, kind, name, reason } of proposals) {
    const mark = paint("warn", safe`? ${kind}`.padEnd(10));
    session.out(safe`${mark} ${nameAndText(name, `${id}: ${reason}`, width)}`);
  }
  for (const { name, description, status, reason } of skills) {
    const isActive = status === "active";
    const mark = paint(isActive ? "good" : "dim", safe`${isActive ? "●" : "○"} ${status}`.padEnd(10));
    session.out(safe`${mark} ${nameAndText(name, isActive ? description : (reason ?? ""), width)}`);
  }
  for (const { name, description } of own)
    session.out(safe`${safe`· yours`.padEnd(10)} ${nameAndText(name, description, width)}`);
  for (const problem of files.problems) session.note(safe`skipped ${storedLine(problem, 300)}`);
  session.note(
    safe`${count(proposals.length, "proposal")}, ${count(skills.length, "skill")} by ralph, ${own.length} by people`,
  );
  if (proposals.length > 0)
    session.note("hint: run `ralph skills diff`, then `ralph skills accept` or `ralph skills reject`");
}
