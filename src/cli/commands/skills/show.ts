import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { ProposalView, SkillActions, SkillView } from "../../../memory/skill-actions.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { painter } from "../../../ui/paint.ts";
import { skillsOf } from "../../project/skills-of.ts";
import { type CommandSpec, inProject, type Session } from "../../shell/command.ts";

/** `ralph skills show`. */
export const command: CommandSpec = {
  description:
    "Shows the generated part of a skill and what it was made from; for a name without an accepted skill, what is proposed.",
  examples: ["ralph skills show ios26-learned", "ralph skills show sp-3fa9c1"],
  arguments: [{ name: "<name>", description: "name of a skill, or id of a proposal" }],
  run: inProject(async (session, project, { args }) => {
    const named = String(args["name"]);
    const actions = skillsOf(session, project);
    const { skill, proposal } = await actions.find(named);
    const asProposal = proposal?.id === named || skill === null;
    if (session.json) return session.out(storedJson({ skill, proposal }));
    const content = asProposal ? proposal : skill;
    if (!content) return;
    for (const line of headOf(content, asProposal ? proposal : null, skill)) session.note(line);
    session.out(storedText(content.body));
    hintAt(session, proposal);
  }),
};

function withoutBody({ body: _, ...rest }: SkillView | ProposalView): object {
  return rest;
}

function headOf(
  content: SkillView | ProposalView,
  proposal: ProposalView | null,
  skill: SkillView | null,
): readonly SafeText[] {
  const { name, description, tags, files, source } = content;
  const status = proposal
    ? safe`proposal ${storedText(proposal.id)} (${proposal.kind}, ${proposal.status}): ${storedLine(proposal.reason, 300)}`
    : statusOf(skill);
  const rows: readonly (readonly [SafeText, SafeText])[] = [
    [safe`status`, status],
    [safe`says`, storedLine(description)],
    [safe`tags`, storedLine(tags.join(", "), 500)],
    [safe`files`, storedLine(files.join(", "), 500)],
    [safe`tasks`, storedLine(source.taskIds.join(", "), 500)],
    [safe`learnings`, storedLine(source.learningIds.join(", "), 500)],
  ];
  return [
    storedText(name),
    ...rows.filter(([, value]) => value !== "").map(([label, value]) => safe`  ${label.padEnd(10)} ${value}`),
    safe``,
  ];
}

function statusOf(skill: SkillView | null): SafeText {
  if (!skill) return safe``;
  if (skill.status === "active") return safe`active since ${storedText(skill.acceptedAt)}`;
  return safe`retired at ${storedText(skill.retiredAt ?? "")}: ${storedLine(skill.reason ?? "", 300)}`;
}

function hintAt(session: Session, proposal: ProposalView | null): void {
  if (proposal?.status !== "pending") return;
  const id = storedText(proposal.id);
  session.note(safe`hint: \`ralph skills diff ${id}\`, then \`ralph skills accept ${id}\` or \`reject\``);
}

export const list: CommandSpec = {
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
    proposals: proposals.map(withoutBody),
    skills: skills.map(withoutBody),
    own,
    problems: files.problems,
  };
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

/** `ios26-learned  Patterns and …`. */
function nameAndText(name: string, text: string, width: number): SafeText {
  return safe`${storedText(name).padEnd(width)}  ${storedLine(text, 160)}`;
}
